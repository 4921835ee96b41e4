// Elements, and lists that draw only the rows in sight.
function el(tag, properties, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties || {})) {
    if (value === undefined || value === null) continue;
    if (name === 'class') element.className = value;
    else if (name.startsWith('on')) element[name] = value;
    else if (name.startsWith('--')) element.style.setProperty(name, value);
    else if (name === 'style') element.style.cssText = value;
    else element.setAttribute(name, value);
  }
  for (const child of children) if (child !== null && child !== undefined && child !== false) element.append(child);
  return element;
}

// A text that loses its middle where it is too long: its end, as a line's number, stays.
const HEAD_MOST = 240, TAIL = 14;
function middle(text, tail = TAIL) {
  const title = text.length > 4000 ? text.slice(0, 4000) + '…' : text;
  if (tail === 0 || text.length <= tail + 10) return el('span', {class: 'mid', title}, el('span', {}, text));
  const head = text.slice(0, text.length - tail);
  return el('span', {class: 'mid', title},
    el('span', {}, head.length > HEAD_MOST ? head.slice(0, HEAD_MOST) + '…' : head), el('span', {}, text.slice(-tail)));
}
// A function: where there is little space, its class goes first.
const functionText = name => {
  const short = shortName(name), at = ownNameAt(short);
  return el('span', {class: 'mid name', title: name.slice(0, 4000)}, at > 0 ? el('span', {class: 'of'}, short.slice(0, at).slice(0, HEAD_MOST)) : null,
    el('span', {class: 'own'}, short.slice(at, at + HEAD_MOST)));
};
const frameText = frame => {
  if (frame < 0) return middle('[unknown]');
  const {name, suffix} = frameOf(frame);
  const shown = functionText(name);
  shown.title = frames.text[frame].slice(0, 4000) + (fileOf(frame) >= 0 ? '\n' + files[fileOf(frame)].name : '');
  if (suffix) shown.append(el('span', {class: 'at', style: 'flex:none'}, suffix));
  return shown;
};
const kindBadge = kind => el('span', {class: 'kind', '--kind': kindColor(kind)}, kindLabel(kind));
// The parts of a sum by kind, as a bar
function stack(parts, share) {
  const whole = parts.reduce((a, b) => a + b, 0);
  if (whole === 0) return '';
  return el('span', {class: 'stack', style: `width:${Math.max(3, 100 * share)}%`, title: kindNames.map((name, kind) =>
    parts[kind] > 0 ? `${kindLabel(kind)} ${bytes(parts[kind])}` : '').filter(text => text).join(', ')},
  ...parts.map((part, kind) => part > 0 ? el('i', {style: `width:${100 * part / whole}%;background:${kindColor(kind)}`}) : null));
}
const track = (share, color) => el('span', {class: 'track'},
  el('i', {style: `width:${Math.min(100, 100 * (share || 0))}%;background:${color || 'var(--accent)'}`}));
function meter(share, bound, most, title) {
  const width = value => `width:${Math.min(100, most > 0 ? 100 * (value || 0) / most : 0)}%`;
  return el('span', {class: 'meter', title},
    el('span', {class: 'track'}, bound > share ? el('i', {class: 'bound', style: width(bound)}) : null,
      el('i', {style: width(share)})),
    el('span', {}, percent(share)));
}

const ROW_HEIGHT = 28, TALLEST = 8e6; // of what browsers can scroll
/*
 * columns: [{title, hint, width, number, least, value(item), cell(item)}]; value is what it sorts by, and a list narrower
 * than `least` pixels leaves the column out. Items are numbers. onselect(item), onopen(item).
 */
class List {
  constructor({columns, label, onselect, onopen, rowHeight, sort, descending, rowClass}) {
    Object.assign(this, {columns, onselect, onopen, rowClass});
    this.height = rowHeight || ROW_HEIGHT;
    this.items = [];
    this.at = -1;
    this.sortedBy = sort ?? -1;
    this.descending = descending ?? true;
    this.head = el('div', {class: 'head', role: 'row'});
    this.sizer = el('div', {class: 'sizer', role: 'presentation'});
    this.scroller = el('div', {class: 'scroller', tabindex: '0', role: 'grid', 'aria-label': label,
      onscroll: () => this.draw(), onkeydown: event => { this.key(event); }}, this.sizer);
    this.element = el('div', {class: 'list', '--height': this.height + 'px'}, this.head, this.scroller);
    this.observer = new ResizeObserver(() => this.fit());
    this.observer.observe(this.element);
    this.sizer.onclick = event => this.click(event, false);
    this.sizer.ondblclick = event => this.click(event, true);
  }
  click(event, opens) {
    const row = event.target.closest('.row');
    if (!row || event.target.closest('a')) return;
    this.select(Number(row.dataset.at), false);
    if (opens) this.open();
  }
  fit() {
    const width = this.element.clientWidth, narrow = width < 620;
    this.shown = this.columns.filter(column => width >= (column.least || 0));
    this.element.classList.toggle('narrow', narrow);
    this.element.style.setProperty('--columns', this.shown.map(column =>
      (narrow && column.narrow) || column.width).join(' '));
    this.drawHead();
    this.draw();
  }
  drawHead() {
    this.head.replaceChildren(...this.shown.map(column => {
      const index = this.columns.indexOf(column), sorted = this.sortedBy === index;
      return el('div', {class: column.number ? 'number' : '', role: 'columnheader',
        'aria-sort': sorted ? (this.descending ? 'descending' : 'ascending') : undefined},
      el('button', {type: 'button', title: column.hint || column.title, onclick: () => this.sortBy(index)}, column.title));
    }));
  }
  sortBy(index) {
    this.descending = this.sortedBy === index ? !this.descending : Boolean(this.columns[index].number);
    this.sortedBy = index;
    this.setItems(this.items, this.at >= 0 ? this.items[this.at] : null);
    if (this.shown) this.drawHead();
  }
  // The order of equal ones stays.
  sortItems() {
    if (this.sortedBy < 0) return;
    const {value, number} = this.columns[this.sortedBy], sign = this.descending ? -1 : 1;
    const keys = new Map(this.items.map(item => [item, value(item)]));
    const missing = key => key === null || key === undefined || Number.isNaN(key);
    this.items = this.items.slice().sort((a, b) => {
      const x = keys.get(a), y = keys.get(b);
      if (missing(x) || missing(y)) return missing(x) - missing(y);
      return number ? sign * (x - y) : x === y ? 0 : sign * (x < y ? -1 : 1);
    });
  }
  setItems(items, selected) {
    this.items = items;
    this.sortItems();
    this.at = selected === null || selected === undefined ? -1 : this.items.indexOf(selected);
    this.whole = Math.min(TALLEST, this.items.length * this.height);
    this.sizer.style.height = this.whole + 'px';
    this.scroller.setAttribute('aria-rowcount', this.items.length);
    if (this.at >= 0) this.show(this.at);
    else this.scroller.scrollTop = 0;
    this.draw();
  }
  // The first row in sight, and where it is. A list taller than TALLEST scrolls by parts of itself.
  top() {
    const {scrollTop, clientHeight} = this.scroller, real = this.items.length * this.height;
    if (real <= TALLEST) return {first: Math.floor(scrollTop / this.height), offset: null};
    const ratio = (real - clientHeight) / (this.whole - clientHeight), position = scrollTop * ratio;
    const first = Math.floor(position / this.height);
    return {first, offset: scrollTop - (position - first * this.height)};
  }
  draw() {
    if (!this.shown) return;
    const {first, offset} = this.top(), seen = Math.ceil(this.scroller.clientHeight / this.height) + 1;
    const rows = [];
    for (let i = Math.max(0, first - (offset === null ? 4 : 0)); i < Math.min(this.items.length, first + seen + 4); i++) {
      const item = this.items[i], top = offset === null ? i * this.height : offset + (i - first) * this.height;
      const row = el('div', {class: 'row' + (this.rowClass ? ' ' + this.rowClass(item) : ''), role: 'row', 'data-at': i,
        'aria-selected': i === this.at ? 'true' : 'false', id: i === this.at ? 'selected-row' : undefined,
        style: `top:${top}px`});
      for (const column of this.shown) {
        const content = column.cell(item);
        row.append(el('div', {class: 'cell' + (column.number ? ' number' : '') + (column.class ? ' ' + column.class : ''),
          role: 'gridcell'}, content));
      }
      rows.push(row);
    }
    this.sizer.replaceChildren(...rows);
    if (this.items.length === 0) this.sizer.replaceChildren(el('div', {class: 'empty'}, this.emptyText || 'Nothing matches.'));
  }
  show(at, centred) {
    const {clientHeight, scrollTop} = this.scroller, real = this.items.length * this.height;
    if (real > TALLEST) {
      const {first} = this.top(), seen = Math.floor(clientHeight / this.height);
      if (at >= first && at < first + seen - 1) return;
      const position = Math.max(0, Math.min(real - clientHeight, at * this.height - clientHeight / 2));
      this.scroller.scrollTop = position * (this.whole - clientHeight) / (real - clientHeight);
      return;
    }
    const top = at * this.height;
    if (centred) this.scroller.scrollTop = top - clientHeight / 2;
    else if (top < scrollTop) this.scroller.scrollTop = top;
    else if (top + this.height > scrollTop + clientHeight) this.scroller.scrollTop = top + this.height - clientHeight;
  }
  select(at, scrolls = true) {
    if (this.items.length === 0) return;
    this.at = Math.max(0, Math.min(this.items.length - 1, at));
    if (scrolls) this.show(this.at);
    this.draw();
    this.scroller.setAttribute('aria-activedescendant', 'selected-row');
    if (this.onselect) this.onselect(this.items[this.at]);
  }
  open() {
    if (this.at >= 0 && this.onopen) this.onopen(this.items[this.at]);
  }
  // True if the key was for the list
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return false;
    const page = Math.max(1, Math.floor(this.scroller.clientHeight / this.height) - 1);
    const steps = {j: 1, ArrowDown: 1, k: -1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity,
      g: -Infinity, G: Infinity};
    if (event.key === 'Enter') this.open();
    else if (event.key in steps) this.select(steps[event.key] === Infinity ? this.items.length - 1 : this.at + steps[event.key]);
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  }
  close() { this.observer.disconnect(); }
}
