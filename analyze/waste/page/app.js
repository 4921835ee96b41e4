// The address after '#' says what is shown: "#pairs?kind=dead-store&q=find".
const views = [
  {name: 'overview', title: 'Overview', make: overview},
  {name: 'functions', title: 'Functions', size: functionCount, make: functionsView},
  {name: 'lines', title: 'Lines', size: lineCount, make: linesView},
  {name: 'source', title: 'Source', make: sourceView},
  {name: 'pairs', title: 'Pairs', size: pairCount, make: pairsView},
  {name: 'objects', title: 'Objects', size: data.objects.kind.length, make: () => locationsView(data.objects, 'object', 'object')},
  {name: 'scopes', title: 'Loops', size: data.scopes.kind.length, make: () => locationsView(data.scopes, 'scope', 'loop')}]
  .filter(view => view.size !== 0 || view.name !== 'objects');
const numbers = new Set(['sel', 'pair', 'scope', 'object', 'frame', 'fn', 'file', 'line']);

function hashOf(state) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(state))
    if (name !== 'view' && value !== undefined && value !== '' && value !== null) query.set(name, value);
  const text = query.toString();
  return '#' + (state.view || 'overview') + (text ? '?' + text : '');
}
function stateOf(hash) {
  const [name, query] = hash.replace(/^#/, '').split('?');
  const state = {view: views.some(view => view.name === name) ? name : 'overview'};
  for (const [key, value] of new URLSearchParams(query || ''))
    if (!numbers.has(key) && key !== 'view') state[key] = value;
    else if (/^[0-9]{1,15}$/.test(value)) state[key] = Number(value);
  if (state.kind !== undefined && !kindNames.includes(state.kind)) delete state.kind;
  const limits = {scope: own.length, object: data.object_list.length, frame: frameCount, fn: functionNames.length};
  for (const [key, limit] of Object.entries(limits)) if (state[key] >= limit) delete state[key];
  return state;
}
function go(state, replaces) {
  if (replaces) { replace(state); render(); } else location.hash = hashOf(state);
}
function replace(state) {
  history.replaceState(null, '', hashOf(state));
}

const view = document.getElementById('view'), search = document.getElementById('search'), helper = document.getElementById('helper');
let current = null, currentName = '';
function render() {
  const state = stateOf(location.hash);
  if (state.view !== currentName) {
    if (current && current.close) current.close();
    current = views.find(one => one.name === state.view).make();
    currentName = state.view;
    view.replaceChildren(current.element);
    if (document.activeElement === document.body && !current.list) current.element.focus({preventScroll: true});
    drawTabs();
  }
  if (search !== document.activeElement) search.value = state.q || '';
  search.hidden = state.view === 'overview';
  current.update(state);
}
function drawTabs() {
  document.getElementById('tabs').replaceChildren(...views.map(one => el('a', {href: '#' + one.name,
    'aria-current': one.name === currentName ? 'page' : undefined}, one.title, one.size === undefined ? null : el('small', {}, count(one.size)))));
  const tab = document.querySelector('#tabs [aria-current]');
  if (tab) tab.scrollIntoView({block: 'nearest', inline: 'center'});
}

// --- the switch between light and dark ---

const themes = ['auto', 'light', 'dark'], signs = {auto: '◐', light: '☀', dark: '☾'};
const stored = () => { try { return localStorage.getItem('assay-theme'); } catch { return null; } };
function setTheme(theme) {
  if (theme === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  const button = document.getElementById('theme');
  button.textContent = signs[theme];
  button.title = `Colours: ${theme} (t)`;
  button.setAttribute('aria-label', button.title);
  button.onclick = () => {
    const next = themes[(themes.indexOf(theme) + 1) % themes.length];
    try { localStorage.setItem('assay-theme', next); } catch { /* it lasts as long as the page */ }
    setTheme(next);
  };
}

// --- help ---

const keys = [['j, k, ↓, ↑', 'next and previous row'], ['Enter', 'source of a row; pairs of an object or a loop'], ['g, G', 'first and last row'],
  ['/', 'search: every word must be in a function, file, line, kind, or in what it looks like'], ['Esc', 'leave the search, or clear it'],
  [`1 to ${views.length}`, 'views'], ['t', 'light or dark'], ['?', 'this help']];
const terms = [['dead store', 'It is stored to again before anything loads it.'], ['silent store', 'It stores the value that is already there.'],
  ['silent load', 'It loads the value that the last load of the same bytes loaded.'], ['spatial load', 'It loads the value that the previous load from the same object loaded.'],
  ['adjacent load', 'It loads from an element of an array what the last load of the element before or after it loaded.'],
  ['pair', 'The earlier and the later access to the same bytes, each with its path of calls.'], ['redundant', 'Wasted bytes of a pair over all its bytes.'],
  ['gain, bound', 'The share of the time that mending can save: the time of the wasted accesses; with code that may be needed for them alone. Mending often saves less, and more than the bound only if the rest gets faster too.'],
  ['looks like', 'The kind of inefficiency that the pairs of a line or function show, with the evidence and what usually mends it. Blank: none is clear.'],
  ['loop', 'The outermost loop around both accesses that iterated between them.']];
const listOf = (rows, wrap) => el('dl', {class: 'keys'}, ...rows.flatMap(([name, text]) => [el('dt', {}, wrap(name)), el('dd', {}, text)]));
function showHelp() {
  helper.replaceChildren(el('h1', {}, 'Keys'), listOf(keys, name => el('kbd', {}, name)), el('h2', {}, 'Words'), listOf(terms, name => el('b', {}, name)),
    el('p', {class: 'quiet'}, `Written by assay waste ${data.version}; assay-waste(1) and docs/waste.md say more.`),
    el('form', {method: 'dialog'}, el('button', {class: 'chip'}, 'Close')));
  if (!helper.open) helper.showModal();
}

// --- events ---

const scrollKeys = new Set(['ArrowDown', 'ArrowUp', 'PageDown', 'PageUp', 'Home', 'End']); // of a text that has the focus

let waiting = 0;
search.oninput = () => {
  clearTimeout(waiting);
  waiting = setTimeout(() => go({...stateOf(location.hash), q: search.value || undefined, sel: undefined, pair: undefined}, true), 90);
};
search.onkeydown = event => {
  if (event.key === 'Escape' && search.value) { search.value = ''; search.oninput(); event.preventDefault(); }
  else if (event.key === 'Escape' || event.key === 'Enter' || event.key === 'ArrowDown') {
    search.blur();
    if (current.list) { current.list.scroller.focus(); if (current.list.at < 0) current.list.select(0); }
    event.preventDefault();
  }
  event.stopPropagation();
};
document.onkeydown = event => {
  if (event.ctrlKey || event.metaKey || event.altKey || helper.open) return;
  if (event.target.closest('button, a, input') && (event.key === 'Enter' || event.key === ' ')) return;
  if (event.target.closest('.detail, .scrolls') && scrollKeys.has(event.key)) return;
  const digit = Number(event.key);
  if (event.key === '/') {
    if (search.hidden) go({view: 'functions'});
    setTimeout(() => { search.focus(); search.select(); });
  } else if (event.key === '?') showHelp();
  else if (event.key === 't') document.getElementById('theme').click();
  else if (digit >= 1 && digit <= views.length) go({view: views[digit - 1].name});
  else if (event.key === 'Escape' && stateOf(location.hash).q) go({...stateOf(location.hash), q: undefined}, true);
  else {
    if (current.list) current.list.key(event);
    return;
  }
  event.preventDefault();
};
window.onhashchange = render;
document.getElementById('help').onclick = showHelp;
for (const id of ['theme', 'help']) document.getElementById(id).hidden = false;
setTheme(themes.includes(stored()) ? stored() : 'auto');
render();
document.documentElement.dataset.opened = String(Math.round(performance.now()));
