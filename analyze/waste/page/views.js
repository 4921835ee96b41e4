// The views: each makes its element, and follows changes of the address that keep it.
const range = n => Array.from({length: n}, (_, i) => i);
const chip = (pressed, label, onclick, title) => el('button', {type: 'button', class: 'chip', title,
  'aria-pressed': pressed === null ? undefined : String(pressed), onclick}, label);

function kindChips(state) {
  if (kindsShown.length < 2) return [];
  return [chip(!state.kind, 'all kinds', () => go({...state, kind: undefined, pair: undefined})),
    ...kindsShown.map(kind => chip(state.kind === kindNames[kind], kindBadge(kind),
      () => go({...state, kind: state.kind === kindNames[kind] ? undefined : kindNames[kind], pair: undefined})))];
}

// --- overview ---

function overview() {
  const ranked = (rows, target, text, share, shown) => el('ul', {class: 'ranked'}, ...range(Math.min(10, rows)).filter(row =>
    row < 3 || share(row) >= 0.01 * share(0)).map(row =>
    el('li', {}, link(target(row), text(row), track(share(row) / (share(0) || 1)), el('span', {class: 'n'}, shown(row))))));
  const share = hasProfile ? (sites, row) => sites.gain[row] : (sites, row) => sites.traffic_share[row];
  const wasteful = sites => { let n = 0; while (n < sites.text.length && sites.wasted_bytes[n] > 0) n++; return n; };
  const what = hasProfile ? 'gain: the share of the time that mending can save' : 'wasted bytes over all bytes loaded and stored';
  const runs = el('p', {class: 'facts'}, el('span', {}, el('b', {}, count(data.runs)), data.runs === 1 ? ' run' : ' runs'),
    el('span', {}, el('b', {}, bytes(data.traffic)), ' loaded and stored'),
    el('span', {}, el('b', {}, count(pairCount)), pairCount === 1 ? ' wasteful pair' : ' wasteful pairs'),
    el('span', {}, 'CPU profile: ', el('b', {}, hasProfile ? `${plural(data.profile_samples, 'sample')} in ${plural(data.profile_runs, 'run')}` : 'none')),
    ...['engine', 'mode'].map(name => el('span', {}, name + ': ', el('b', {}, data.labels[name].join(', ') || 'unknown'))));
  const cards = data.kinds.map(row => {
    const kind = kindNames.indexOf(row.kind), stores = isStore(kind);
    return el('div', {class: 'card'}, kindBadge(kind), el('div', {class: 'big'}, percent(row.fraction)),
      track(row.fraction, kindColor(kind)),
      el('p', {}, `${bytes(row.wasted_bytes)} of ${bytes(row.bytes)} ${stores ? 'stored' : 'loaded'}`),
      row.lo === null ? null : el('p', {}, 'interval ', interval(row.lo, row.hi)),
      el('p', {}, `${percent(row.pair_fraction)} of what had been accessed before`));
  });
  const remarks = data.warnings.map(text => el('li', {class: 'warn'}, text)).concat(data.notes.map(text => el('li', {}, text)));
  if (!hasProfile)
    remarks.push(el('li', {}, 'Without a CPU profile the page knows no times. An input that is a folder brings the profile in it, if mode waste took one; else record it with assay record -o cpu -- COMMAND, and add cpu to the inputs.'));
  if (data.missing.length > 0)
    remarks.push(el('li', {}, `${plural(data.missing.length, 'source file')} can't be shown (`, link({view: 'source'}, 'which'), '): --sources DIR searches below a folder.'));
  return {element: el('div', {class: 'scrolls', tabindex: '0'}, el('div', {class: 'inner'},
    el('h1', {}, 'Memory accesses that did nothing new'), runs, el('div', {class: 'cards'}, ...cards),
    el('p', {class: 'quiet'}, 'Each percentage is of its own kind of access, so kinds do not add up: a store can be both dead and silent.'),
    el('div', {class: 'pairup'},
      el('section', {}, el('h2', {}, 'Functions'), el('p', {class: 'quiet'}, what), ranked(wasteful(functions), row => ({view: 'functions', sel: row}),
        row => functionText(functionNames[functions.function[row]]), row => share(functions, row), row => percent(share(functions, row)))),
      el('section', {}, el('h2', {}, 'Lines'), el('p', {class: 'quiet'}, what), ranked(wasteful(lines), row => ({view: 'lines', sel: row}),
        row => frameText(lines.text[row]), row => share(lines, row), row => percent(share(lines, row))))),
    remarks.length > 0 ? el('h2', {}, 'Limits and notes') : null, el('ul', {class: 'remarks'}, ...remarks))), update() {}};
}

// --- a list with something beside it ---

// options: columns, all (items), conditions(words, state) on an item, detail(item), name, open(item), chips(state),
// target(item): what it is in the address, selected(state): the item that is there
function listView(options) {
  const side = el('div', {}), strip = el('div', {class: 'strip'}), counted = el('span', {class: 'count'});
  let state = null, filtered = '';
  const showSide = item => {
    side.replaceChildren(item === null ? el('div', {class: 'empty'}, `Select a ${options.name}: j and k move, Enter opens.`) :
      options.detail(item));
  };
  const list = new List({columns: options.columns, label: options.name + 's', sort: -1, onopen: options.open,
    onselect: item => { showSide(item); replace({...state, ...options.target(item)}); }});
  const main = el('div', {}, strip, list.element);
  return {
    element: el('div', {class: 'split' + (options.rows ? ' rows' : '')}, main, side), list,
    update(next) {
      const key = JSON.stringify({...next, ...options.target(undefined)}), selected = options.selected(next);
      state = next;
      if (key !== filtered) {
        const conditions = options.conditions(wordsOf(next.q || ''), next);
        list.setItems(options.all.filter(item => conditions.every(holds => holds(item))), selected);
        counted.textContent = list.items.length === options.all.length ? plural(list.items.length, options.name) :
          `${count(list.items.length)} of ${plural(options.all.length, options.name)}`;
        strip.replaceChildren(...options.chips(next), counted);
        filtered = key;
      } else if (selected !== null && list.items[list.at] !== selected) {
        list.setItems(list.items, selected);
      }
      if (selected === null && list.items.length > 0) {
        list.at = 0;
        list.draw();
        showSide(list.items[0]);
      } else {
        showSide(list.at >= 0 ? list.items[list.at] : null);
      }
    },
    close() { list.close(); }
  };
}

const rankColumn = {title: '#', width: '48px', number: true, least: 620, value: row => -row, cell: row => String(row + 1)};
function siteColumns(sites, name, text) {
  const most = hasProfile ? sites.bound.reduce((a, b) => Math.max(a, b || 0), 0) : 0;
  const columns = [rankColumn, {title: name, width: 'minmax(120px, 1fr)', value: row => text(row), cell: row => sites === lines ?
    frameText(lines.text[row]) : functionText(text(row))}];
  if (hasProfile)
    columns.push({title: 'gain, bound', hint: 'The share of the time that mending can save; the paler part: its bound',
      width: 'minmax(130px, 22%)', narrow: '112px', number: true, value: row => sites.gain[row],
      cell: row => meter(sites.gain[row], sites.bound[row], most,
        `gain ${percent(sites.gain[row])} ${interval(sites.gain_lo[row], sites.gain_hi[row])}, bound ${percent(sites.bound[row])} ${interval(sites.bound_lo[row], sites.bound_hi[row])}`)},
    {title: 'time', hint: 'Share of the samples of the CPU profile', width: '70px', number: true, least: 620, value: row => sites.time[row], cell: row => percent(sites.time[row])});
  columns.push({title: 'looks like', hint: 'The kind of inefficiency that the wasted accesses look like', width: 'minmax(150px, .8fr)', least: 840,
    value: row => wordsOfSite(sites, row)?.name ?? null, cell: row => wordsOfSite(sites, row)?.name ?? ''});
  columns.push({title: 'wasted', hint: 'Wasted accesses over all in pairs', width: '70px', number: true, value: row => wastedShare(sites, row), cell: row => percent(wastedShare(sites, row))});
  const largest = sites.wasted_bytes.reduce((a, b) => Math.max(a, b), 0);
  columns.push({title: 'by kind', hint: 'Wasted bytes by kind', width: '84px', number: true, least: 960, value: row => sites.wasted_bytes[row],
    cell: row => stack(kindBytesOf(sites, row), sites.wasted_bytes[row] / largest)});
  for (const kind of kindsShown)
    columns.push({title: kindLabel(kind), hint: `The share of its ${isStore(kind) ? 'stores' : 'loads'} that were ${kindLabel(kind)}s`, width: '90px', number: true, least: 1000,
      value: row => kindShare(sites, row, kind), cell: row => percent(kindShare(sites, row, kind))});
  columns.push({title: 'bytes', hint: 'Wasted bytes', width: '84px', number: true, value: row => sites.wasted_bytes[row], cell: row => bytes(sites.wasted_bytes[row])},
    {title: 'of all', hint: 'Wasted bytes over all bytes loaded and stored', width: '78px', number: true, least: 620, value: row => sites.traffic_share[row], cell: row => percent(sites.traffic_share[row])});
  return columns;
}
const siteChips = state => kindChips(state);
const siteKindHas = (sites, state) => state.kind ? [row => sites[state.kind + '_wasted_events'][row] > 0] : [];
const selectedRow = (state, most) => state.sel >= 0 && state.sel < most ? state.sel : null;

const functionsView = () => listView({name: 'function', all: range(functionCount), detail: functionDetail, chips: siteChips,
  columns: siteColumns(functions, 'function', row => functionNames[functions.function[row]]),
  conditions: (words, state) => [...siteKindHas(functions, state), ...functionHas(words)],
  target: row => ({sel: row}), selected: state => selectedRow(state, functionCount),
  open: row => openFrame((linesOf(functions.function[row]).map(line => lines.text[line]).find(frame => fileOf(frame) >= 0)) ?? -1)});
const linesView = () => listView({name: 'line', all: range(lineCount), detail: lineDetail, chips: siteChips,
  columns: siteColumns(lines, 'line', row => frames.text[lines.text[row]]),
  conditions: (words, state) => [...siteKindHas(lines, state), ...lineHas(words)],
  target: row => ({sel: row}), selected: state => selectedRow(state, lineCount), open: row => openFrame(lines.text[row])});
function openFrame(frame) {
  if (frame >= 0 && fileOf(frame) >= 0) go({view: 'source', file: fileOf(frame), line: positionOf(frame)});
}

// --- pairs ---

const ofKind = (rows, state) => state.kind ? [row => rows.kind[row] === kindNames.indexOf(state.kind)] : [];

const endText = (pair, side) => frameText(nodes.frame[pairs[side][pair]]);
const pairColumns = [
  {title: 'kind', width: '118px', narrow: '112px', value: pair => pairs.kind[pair], cell: pair => kindBadge(pairs.kind[pair])},
  {title: 'first access', width: 'minmax(90px, 1fr)', value: pair => nodeText(pairs.first[pair]), cell: pair => endText(pair, 'first')},
  {title: 'second access', width: 'minmax(90px, 1fr)', least: 620, value: pair => nodeText(pairs.second[pair]), cell: pair => endText(pair, 'second')},
  {title: 'loop', hint: 'The outermost loop around both that iterated between them', width: 'minmax(70px, .6fr)', least: 620,
    value: pair => nodeText(pairs.scope[pair]), cell: pair => pairs.scope[pair] > 0 ? frameText(nodes.frame[pairs.scope[pair]]) : el('span', {class: 'quiet'}, '–')},
  {title: 'wasted', hint: 'Wasted bytes', width: '86px', number: true, value: pair => pairs.wasted_bytes[pair], cell: pair => bytes(pairs.wasted_bytes[pair])},
  {title: 'of all', hint: 'Wasted bytes over all bytes loaded and stored, so that kinds can be compared', width: '78px', number: true, least: 620,
    value: pairTraffic, cell: pair => percent(pairTraffic(pair))},
  {title: 'of kind', hint: 'Wasted bytes over all bytes loaded, or stored', width: '78px', number: true, least: 620, value: pairShare, cell: pair => percent(pairShare(pair))},
  {title: 'redundant', hint: 'Wasted bytes over all bytes of the pair', width: '82px', number: true, value: pairRedundant, cell: pair => percent(pairRedundant(pair))}];
if (data.object_list.length > 1)
  pairColumns.splice(4, 0, {title: 'object', width: 'minmax(70px, .6fr)', least: 620, value: pair => nodeText(data.object_list[pairs.object[pair]][1]),
    cell: pair => pairs.object[pair] > 0 ? frameText(nodes.frame[data.object_list[pairs.object[pair]][1]]) : el('span', {class: 'quiet'}, '–')});

const filters = {
  scope: {has: (pair, scope) => pairs.scope[pair] === scope, text: scope => scope > 0 ? nodeText(scope) : 'no loop', label: 'loop'},
  object: {has: (pair, object) => pairs.object[pair] === object, text: object => nodeText(data.object_list[object][1]), label: 'object'},
  frame: {has: (pair, frame) => siteOf(pair, 'first') === frame || siteOf(pair, 'second') === frame, text: frame => frames.text[frame], label: 'line'},
  fn: {has: (pair, fn) => { const line = lineOfFrame[siteOf(pair, wastedSide(pairs.kind[pair]))]; return line >= 0 && lines.function[line] === fn; },
    text: fn => functionNames[fn], label: 'function'}};
const activeFilters = state => Object.keys(filters).filter(name => state[name] !== undefined);

const pairsView = () => listView({name: 'pair', rows: true, columns: pairColumns, detail: pairDetail,
  all: range(pairCount).sort((a, b) => pairTraffic(b) - pairTraffic(a)),
  conditions: (words, state) => [...ofKind(pairs, state),
    ...activeFilters(state).map(name => pair => filters[name].has(pair, state[name])), ...pairHas(words)],
  chips: state => [...kindChips(state), ...activeFilters(state).map(name => chip(true, el('span', {style: 'display:flex;gap:5px'},
    `${filters[name].label}:`, middle(shortName(filters[name].text(state[name]))), ' ×'), () => go({...state, [name]: undefined, pair: undefined}), 'Remove this filter'))],
  target: pair => ({pair}), selected: state => state.pair >= 0 && state.pair < pairCount ? state.pair : null,
  open: pair => openFrame(siteOf(pair, wastedSide(pairs.kind[pair])))});

// --- objects and loops ---

function locationsView(rows, key, name) {
  const nodeOf = row => key === 'scope' ? rows.scope[row] : data.object_list[rows.object[row]][1];
  const textOf = row => nodeOf(row) > 0 ? nodeText(nodeOf(row)) : key === 'scope' ? '(not within a loop, or unknown)' : '(no object)';
  const total = rows.kind.length;
  const columns = [{title: 'kind', width: '118px', narrow: '112px', value: row => rows.kind[row], cell: row => kindBadge(rows.kind[row])},
    {title: name, width: 'minmax(110px, 1fr)', value: textOf, cell: row => nodeOf(row) > 0 ? frameText(nodes.frame[nodeOf(row)]) : el('span', {class: 'quiet'}, textOf(row))},
    ...(key === 'object' ? [{title: 'storage', width: '80px', least: 620, value: row => data.object_list[rows.object[row]][0], cell: row => data.object_list[rows.object[row]][0]}] : []),
    {title: 'wasted', hint: 'Wasted bytes', width: '86px', number: true, value: row => rows.wasted_bytes[row], cell: row => bytes(rows.wasted_bytes[row])},
    {title: 'of all', hint: 'Wasted bytes over all bytes loaded and stored; mean over runs', width: '78px', number: true, value: row => rows.traffic_share[row], cell: row => percent(rows.traffic_share[row])},
    {title: 'fraction', hint: key === 'scope' ? 'Of all bytes loaded, or stored; mean over runs' : 'Of the bytes of all pairs in objects; mean over runs', width: '80px', number: true, least: 620, value: row => rows.fraction[row], cell: row => percent(rows.fraction[row])},
    {title: 'redundant', hint: 'Wasted bytes over all bytes of these pairs', width: '82px', number: true, least: 480, value: row => rows.pair_fraction[row], cell: row => percent(rows.pair_fraction[row])}];
  return listView({name, columns, all: range(total).sort((a, b) => rows.traffic_share[b] - rows.traffic_share[a]), chips: kindChips,
    conditions: (words, state) => [...ofKind(rows, state), ...words.map(word => {
      const {within, kinds} = framesWith(word);
      return row => within[nodeOf(row)] || kinds[rows.kind[row]] || (key === 'object' && data.object_list[rows.object[row]][0].includes(word));
    })],
    detail: row => locationDetail(rows, row, {[key]: rows[key][row]}, textOf(row), nodeOf(row)),
    target: row => ({sel: row}), selected: state => selectedRow(state, total),
    open: row => go({view: 'pairs', [key]: rows[key][row], kind: kindNames[rows.kind[row]]})});
}

// --- source ---

function codeList(file, onselect) {
  const rows = sourceRows(file), byPosition = framesByPosition(file), sums = new Map();
  for (const [at, frameList] of byPosition) sums.set(at, lineSums(frameList));
  let most = 0, longest = 0, mostTime = 0;
  for (const {wasted, time} of sums.values()) { most = Math.max(most, wasted); mostTime = Math.max(mostTime, time); }
  for (const {text} of rows) longest = Math.max(longest, text ? text.replace(/\t/g, '    ').length : 0);
  const sumOf = row => rows[row].gap ? undefined : sums.get(rows[row].line);
  const columns = [
    {title: 'time', class: 'time', cell: row => {
      const sum = sumOf(row);
      if (!sum || !(sum.time > 0)) return '';
      return el('span', {title: 'share of the time', style: `display:block;padding:0 4px;background:rgba(var(--heat),${(0.08 + 0.5 * sum.time / mostTime).toFixed(3)})`}, percent(sum.time));
    }},
    {title: 'waste', cell: row => {
      const sum = sumOf(row);
      if (!sum || sum.wasted === 0) return '';
      return stack(sum.kinds, sum.wasted / most);
    }},
    {title: 'line', class: 'lineno', cell: row => rows[row].gap ? '' : file.isCode ? rows[row].line.toString(16) : String(rows[row].line)},
    {title: 'text', class: 'text', cell: row => rows[row].gap ? `… ${plural(rows[row].gap, 'line')} …` :
      rows[row].beyond ? 'the file has no such line: it is not the one that was compiled' : rows[row].text.slice(0, 5000)}];
  const list = new List({columns, label: 'Source', rowHeight: 20, onselect: row => onselect(rows[row]),
    rowClass: row => (rows[row].gap ? 'gap' : '') + (sumOf(row) && sumOf(row).wasted > 0 ? 'wasteful' : '')});
  list.head.hidden = true;
  list.sizer.style.width = `max(100%, ${longest + 34}ch)`;
  list.setItems(range(rows.length));
  return {list, rowOfLine: line => rows.findIndex(row => row.line === line)};
}

function linePairs(file, line) {
  const {wasting, other} = pairsAtFrames(), list = new Map();
  for (const frame of framesByPosition(file).get(line) || []) {
    for (const pair of wasting.get(frame) || []) list.set(pair, 'wastes here');
    for (const pair of other.get(frame) || []) if (!list.has(pair)) list.set(pair, 'other access');
  }
  return list;
}

function sourceView() {
  const order = files.filter(file => file.frames.some(frame => lineOfFrame[frame] >= 0) || file.source).sort((a, b) =>
    b.gain - a.gain || b.wasted - a.wasted || b.time - a.time || (a.name < b.name ? -1 : 1)).map(file => file.index);
  const fileColumns = [{title: 'file', width: 'minmax(0, 1fr)', value: number => baseName(files[number].name), cell: number => {
    const name = middle(baseName(files[number].name), 6);
    name.title = files[number].name + (files[number].missing ? `\n${files[number].missing}` : '');
    if (!files[number].source) name.classList.add('quiet');
    return name;
  }},
  ...(hasProfile ? [{title: 'time', width: '72px', number: true, value: number => files[number].time, cell: number => percent(files[number].time)}] : []),
  {title: 'wasted', width: '78px', number: true, value: number => files[number].wasted, cell: number => files[number].wasted > 0 ? bytes(files[number].wasted) : el('span', {class: 'quiet'}, '–')}];
  const right = el('div', {}), below = el('div', {class: 'below', hidden: ''});
  let state = {}, code = null, openFile = -1, pairList = null, words = null;
  const list = new List({columns: fileColumns, label: 'Files', onselect: number => go({...state, file: number, line: undefined}, true),
    onopen: () => code && code.list.scroller.focus()});
  const showPairs = (file, row) => {
    if (pairList) pairList.close();
    const found = row && !row.gap ? linePairs(file, row.line) : new Map();
    below.hidden = found.size === 0;
    if (found.size === 0) { pairList = null; return; }
    const columns = [{title: 'role', hint: 'Whether the line wastes, or is the other access of the pair', width: '104px', least: 620, value: pair => found.get(pair), cell: pair => el('span', {class: 'quiet'}, found.get(pair))}, ...pairColumns];
    pairList = new List({columns, label: 'Pairs of the line', onselect: pair => go({view: 'pairs', pair}), onopen: pair => go({view: 'pairs', pair})});
    pairList.onselect = null;
    pairList.sizer.onclick = event => { const at = event.target.closest('.row'); if (at) { pairList.at = Number(at.dataset.at); pairList.open(); } };
    below.replaceChildren(el('div', {class: 'strip'}, el('strong', {}, file.isCode ? `Address ${row.line.toString(16)}` : `Line ${row.line}`),
      el('span', {class: 'quiet'}, 'a click shows the pair'), el('span', {class: 'count'}, plural(found.size, 'pair'))), pairList.element);
    pairList.setItems([...found.keys()].sort((a, b) => pairTraffic(b) - pairTraffic(a)));
  };
  const openCode = file => {
    if (code) code.list.close();
    const why = file.source ? (file.source.alike > 1 ? `${file.source.path}: one of ${file.source.alike} files that may be meant` : file.source.path) :
      file.isCode ? 'Machine code without lines: the instructions of accesses and samples, where the file is as it was recorded.' :
        `This file ${file.missing}: only the functions of its lines are known. --sources DIR searches below a folder.`;
    code = codeList(file, row => { showPairs(file, row); if (row.line) { state = {...state, file: file.index, line: row.line}; replace(state); } });
    right.replaceChildren(el('div', {class: 'strip'}, middle(file.name, 24), el('span', {class: 'quiet', style: 'font-size:12px'}, why === file.name ? '' : why)),
      el('div', {class: 'code'}, el('div', {class: 'headline'}, el('span', {}, hasProfile ? 'time' : ''), el('span', {}, 'waste'), el('span', {}, file.isCode ? 'address' : 'line'), el('span', {}, file.source ? 'source' : 'function')),
        code.list.element), below);
    openFile = file.index;
    showPairs(file, null);
  };
  return {
    element: el('div', {class: 'split source'}, el('div', {}, list.element), right),
    get list() { return code && document.activeElement === code.list.scroller ? code.list : pairList && document.activeElement === pairList.scroller ? pairList : code ? code.list : list; },
    update(next) {
      state = next;
      if (words !== (next.q || '')) {
        words = next.q || '';
        const wanted = wordsOf(words);
        list.setItems(order.filter(number => wanted.every(word => files[number].name.toLowerCase().includes(word) ||
          files[number].frames.some(frame => framesWith(word).hit[frame]) ||
          files[number].frames.some(frame => lineOfFrame[frame] >= 0 && siteHasKind(lines, lineOfFrame[frame], framesWith(word).kinds)))), next.file);
      }
      const number = next.file >= 0 && next.file < files.length ? next.file : list.items[0] ?? -1;
      if (number < 0) {
        right.replaceChildren(el('div', {class: 'empty'}, 'No frame of this recording has a line in a file.'));
        return;
      }
      if (list.items[list.at] !== number) list.setItems(list.items, number);
      if (openFile !== number) openCode(files[number]);
      const row = next.line === undefined ? -1 : code.rowOfLine(next.line);
      if (row >= 0 && code.list.at !== row) {
        code.list.at = row;
        requestAnimationFrame(() => { code.list.show(row, true); code.list.draw(); });
        showPairs(files[number], {line: next.line});
      } else if (next.line === undefined) {
        const frameList = files[number].frames.filter(frame => lineOfFrame[frame] >= 0);
        const worst = frameList.sort((a, b) => lineOfFrame[a] - lineOfFrame[b])[0];
        if (worst !== undefined) requestAnimationFrame(() => code.list.show(Math.max(0, code.rowOfLine(positionOf(worst))), true));
      }
    },
    close() { list.close(); if (code) code.list.close(); if (pairList) pairList.close(); }
  };
}
