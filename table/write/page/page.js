'use strict';
{
  const MANY = 12; // rows from which on there is a filter
  const SHOWN = 1000; // rows that are laid out until the reader wants all: a browser is slow with a million cells
  const collator = new Intl.Collator(undefined, { numeric: true });

  // A cell's title has all digits of what it shows: "0.0412", "10.1 [9.8, 10.4]". An empty cell gives NaN.
  const number = text => {
    const found = /^[<>~≈ ]*([+-]?(?:inf|\d[\d.]*(?:e[+-]?\d+)?))/.exec(text);
    return !found ? NaN : /inf$/.test(found[1]) ? (found[1][0] === '-' ? -Infinity : Infinity) : parseFloat(found[1]);
  };

  // Whether a text is a number, perhaps with its unit or an interval. The first part of a date or version is none.
  const measured = text => /^[<>~≈ ]*[+-]?(?:inf|\d+(?:\.\d+)?(?:e[+-]?\d+)?)(?: ?[%µa-z]{1,3})?(?:[ ,;/[(±].*)?$/i.test(text);

  // What a column is sorted by: numbers if it has them, or texts all of which begin with one.
  function keys(rows, at, numeric) {
    const texts = rows.map(row => row.cells[at].title || row.cells[at].textContent);
    const blank = text => text === '' || text === '-' || text === '~';
    const numbers = texts.map(number);
    if (numeric || texts.every(text => blank(text) || measured(text)))
      return { values: numbers, missing: isNaN, order: (a, b) => a < b ? -1 : a > b ? 1 : 0 };
    return { values: texts, missing: blank, order: collator.compare };
  }

  // Rows without a value come last, whatever the direction; rows with equal ones stay in the program's order.
  function sorted(rows, at, numeric, sign) {
    const { values, missing, order } = keys(rows, at, numeric);
    const numbers = rows.map((row, i) => i);
    numbers.sort((i, j) => missing(values[i]) - missing(values[j]) ||
      (missing(values[i]) ? 0 : sign * order(values[i], values[j])) || i - j);
    return numbers.map(i => rows[i]);
  }

  // The rows of a table in the reader's order, those with the reader's text, and at most so many.
  class View {
    constructor(table) {
      this.rows = [...table.tBodies].flatMap(body => [...body.rows]);
      this.order = this.rows;
      this.text = '';
      this.limit = SHOWN;
      this.body = table.tBodies[0];
      for (const rest of [...table.tBodies].slice(1)) rest.remove();
      this.strip = table.parentNode.previousElementSibling;
      this.count = this.strip.firstElementChild;
      this.total = this.count.textContent;
    }
    show() {
      const found = this.text ? this.order.filter(row => row.textContent.toLowerCase().includes(this.text)) : this.order;
      const some = document.createDocumentFragment();
      for (const row of found.slice(0, this.limit)) some.append(row);
      this.body.replaceChildren(some);
      const first = found.length > this.limit ? `; the first ${this.limit} are shown` : '';
      this.count.textContent = (this.text ? `${found.length} of ${this.total}` : this.total) + first;
      if (this.more) this.more.hidden = !first;
    }
  }

  // A button in each head: the first direction, the other, and the program's order again.
  function addSorting(table, view) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, at) => {
      const button = document.createElement('button'), numeric = head.classList.contains('n');
      const first = numeric ? 'descending' : 'ascending', second = numeric ? 'ascending' : 'descending';
      button.type = 'button';
      button.append(...head.firstChild.childNodes);
      head.replaceChildren(button);
      button.onclick = () => {
        const now = head.getAttribute('aria-sort'), next = !now ? first : now === first ? second : null;
        for (const other of heads) other.removeAttribute('aria-sort');
        if (next) head.setAttribute('aria-sort', next);
        view.order = next ? sorted(view.rows, at, numeric, next === 'ascending' ? 1 : -1) : view.rows;
        view.show();
      };
    });
  }

  function addFilter(view) {
    const input = document.createElement('input');
    let timer;
    input.type = 'search';
    input.placeholder = 'Filter rows';
    input.setAttribute('aria-label', 'Show only rows with this text');
    input.oninput = () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        view.text = input.value.toLowerCase();
        view.show();
      }, 120);
    };
    view.count.setAttribute('role', 'status');
    view.strip.append(input);
  }

  function addMore(view) {
    view.more = document.createElement('button');
    view.more.type = 'button';
    view.more.textContent = 'Show all';
    view.more.onclick = () => {
      view.limit = Infinity;
      view.show();
    };
    view.strip.append(view.more);
    view.show();
  }

  for (const table of document.querySelectorAll('table')) {
    const view = new View(table);
    if (view.rows.length > 1) addSorting(table, view);
    if (view.rows.length > MANY) addFilter(view);
    if (view.rows.length > SHOWN) addMore(view);
  }
}
