// What the page knows: the data as it came, and what follows from it.
// Marks that turn the direction of text are written out: a name or a source line must not look like another one.
const marks = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const data = JSON.parse(document.getElementById('data').textContent.replace(marks, mark =>
  '\\\\u' + mark.charCodeAt(0).toString(16).padStart(4, '0')));
const kindNames = data.kind_names;
const kindsShown = data.kinds.map(row => kindNames.indexOf(row.kind));
const kindBytes = kindNames.map(name => (data.kinds.find(row => row.kind === name) || {bytes: 0}).bytes);
const hasProfile = data.profile_runs > 0;
const {nodes, pairs, frames} = data;
const pairCount = pairs.kind.length;

// --- numbers as texts ---

const percent = share => share === null || share === undefined || Number.isNaN(share) ? '–' :
  share > 0 && share < 0.00005 ? '<0.01\u202f%' :
  (100 * share).toFixed(share >= 0.9995 || share === 0 ? 0 : share < 0.001 ? 2 : 1) + '\u202f%';
const interval = (low, high) => low === null || low === undefined ? '' :
  `[${(100 * low).toFixed(1)}, ${(100 * high).toFixed(1)}] %`;
const count = n => n.toLocaleString('en-US').replaceAll(',', '\u202f');
function compact(n) {
  if (n < 1e6) return count(n);
  const power = Math.min(4, Math.floor(Math.log10(n) / 3));
  return (n / 1000 ** power).toPrecision(3) + '\u202f' + ['', 'k', 'M', 'G', 'T'][power];
}
function bytes(n) {
  const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];
  let unit = 0;
  for (; n >= 999.5 && unit < units.length - 1; unit++) n /= 1000;
  return (unit === 0 ? String(n) : n.toPrecision(3)) + '\u202f' + units[unit];
}
const plural = (n, word) => `${count(n)} ${word}${n === 1 ? '' : 's'}`;
const kindLabel = kind => kindNames[kind].replace('-', ' ');
const kindColor = kind => `var(--${kindNames[kind]})`;
const isStore = kind => kindNames[kind].endsWith('store');

// --- frames ---

// "f:30" or "f@0x11d3": the function, and its line or address
function splitFrame(text) {
  const match = /^([^]+?)(?::([0-9]+)|@0x([0-9a-f]+))$/.exec(text);
  if (!match) return {name: text, suffix: '', line: 0, address: null};
  return {name: match[1], suffix: text.slice(match[1].length), line: match[2] ? Number(match[2]) : 0,
    address: match[3] ? parseInt(match[3], 16) : null};
}
const frameCount = frames.text.length;
const parsed = new Array(frameCount);
const frameOf = frame => parsed[frame] || (parsed[frame] = splitFrame(frames.text[frame]));
const nodeText = node => nodes.frame[node] < 0 ? '[unknown]' : frames.text[nodes.frame[node]];

function pathOf(node) {
  const path = [];
  for (; node > 0; node = nodes.parent[node]) path.push(node);
  return path.reverse();
}
const pathText = node => node > 0 ? pathOf(node).map(nodeText).join(' > ') : '[unknown]';

// What a library of the language does belongs to the line that called it (analyze/waste/ranking/waste_ranking.h).
const own = new Int32Array(nodes.parent.length);
for (let node = 1; node < own.length; node++) {
  const around = nodes.parent[node];
  own[node] = nodes.runtime[node] && around > 0 && !nodes.runtime[own[around]] ? own[around] : node;
}

// "table<…>::count(…) const": a long name without what is in its brackets
const LONG = 44;
function shortName(name) {
  if (name.length <= LONG) return name;
  const opens = {'<': '>', '(': ')', '[': ']'}, ends = [];
  let short = '';
  for (let at = 0; at < name.length; at++) {
    const char = name[at], operator = ends.length === 0 && /(^|[^A-Za-z0-9_])operator$/.test(short.slice(-9)) &&
      /^(\(\)|\[\]|<=>|<<=?|>>=?|->\*?|[<>]=?)/.exec(name.slice(at, at + 3));
    if (operator) {
      short += operator[0];
      at += operator[0].length - 1;
    } else if (ends.length > 0 && char === ends[ends.length - 1]) {
      ends.pop();
      if (ends.length === 0) short += '…' + char;
    } else if (opens[char] && at > 0 && !(ends.length === 0 && (char === '[' || name[at - 1] === '.'))) {
      if (ends.length === 0) short += char;
      ends.push(opens[char]);
    } else if (ends.length === 0) {
      short += char;
    }
  }
  if (ends.length > 0) return name.length > 200 ? short + '…' : name; // it was cut, or has a comparison in it
  return short.replaceAll('(…)::', '()::');
}

// Where the function's own name begins, after its classes and namespaces
function ownNameAt(name) {
  let end = name.indexOf('(', 1), depth = 0;
  for (let at = (end < 0 ? name.length : end) - 1; at > 0; at--) {
    if (name[at] === '>') depth++;
    else if (name[at] === '<') depth--;
    else if (depth === 0 && name[at] === '.' && !name.startsWith('<init>', at + 1)) return at + 1;
    else if (depth === 0 && name[at] === ':' && name[at - 1] === ':') return at + 1;
  }
  return 0;
}

// --- pairs ---

const wastedSide = kind => kindNames[kind] === 'dead-store' ? 'first' : 'second';
const pairShare = pair => pairs.fraction ? pairs.fraction[pair] : pairs.wasted_bytes[pair] / kindBytes[pairs.kind[pair]];
const pairRedundant = pair => pairs.pair_fraction ? pairs.pair_fraction[pair] :
  pairs.wasted_bytes[pair] / pairs.bytes[pair];
const pairTraffic = pair => pairs.traffic_share ? pairs.traffic_share[pair] :
  data.traffic > 0 ? pairs.wasted_bytes[pair] / data.traffic : NaN;
const unknownFrame = frames.text.indexOf('[unknown]'); // its waste is in the rankings, too
const siteOf = (pair, side) => {
  const node = own[pairs[side][pair]];
  return node > 0 ? nodes.frame[node] : unknownFrame;
};

// Pairs by the line of their ends: where they waste, and where the other end is.
let endings = null;
function pairsAtFrames() {
  if (endings) return endings;
  endings = {wasting: new Map(), other: new Map()};
  const add = (map, frame, pair) => { if (!map.has(frame)) map.set(frame, []); map.get(frame).push(pair); };
  for (let pair = 0; pair < pairCount; pair++) {
    const side = wastedSide(pairs.kind[pair]), frame = siteOf(pair, side);
    const other = siteOf(pair, side === 'first' ? 'second' : 'first');
    add(endings.wasting, frame, pair);
    if (other !== frame) add(endings.other, other, pair);
  }
  return endings;
}

function sumBy(rows, key, values) {
  const sums = new Map();
  for (const row of rows) sums.set(key[row], (sums.get(key[row]) || 0) + values[row]);
  return sums;
}

// --- lines and functions ---

const {lines, functions, function_names: functionNames} = data;
for (const sites of [lines, functions]) // of kinds that were not recorded they have no columns
  for (const name of kindNames)
    for (const what of ['_events', '_wasted_events', '_wasted_bytes'])
      sites[name + what] ??= new Uint8Array(sites.text.length);
const lineCount = lines.text.length, functionCount = functions.text.length;
const lineOfFrame = new Int32Array(frameCount).fill(-1);
for (let line = 0; line < lineCount; line++) lineOfFrame[lines.text[line]] = line;
const functionRow = new Int32Array(functionNames.length).fill(-1);
for (let row = 0; row < functionCount; row++) functionRow[functions.function[row]] = row;
let linesByFunction = null;
function linesOf(functionNumber) {
  if (!linesByFunction) {
    linesByFunction = new Map();
    for (let line = 0; line < lineCount; line++) {
      const key = lines.function[line];
      if (!linesByFunction.has(key)) linesByFunction.set(key, []);
      linesByFunction.get(key).push(line);
    }
  }
  return linesByFunction.get(functionNumber) || [];
}
// What its waste looks like: {name, evidence, remedy}, or null. Only the first rows of each ranking have it.
const isWorded = (sites, row) => row < (sites === lines ? data.line_words : data.function_words).length;
const wordsOfSite = (sites, row) => {
  const words = (sites === lines ? data.line_words : data.function_words)[row];
  if (!words) return null;
  const [name, remedy] = data.inefficiencies[words[0]];
  return {name, remedy, evidence: words[1], second: words[2] || ''};
};
const wastedShare = (sites, row) => sites.accesses[row] > 0 ? sites.wasted_accesses[row] / sites.accesses[row] : NaN;
// Wasted bytes by kind; of a function the sum over its lines
const kindBytesOf = (sites, row) => sites === lines ? kindNames.map(name => lines[name + '_wasted_bytes'][row]) :
  linesOf(functions.function[row]).reduce((sums, line) => sums.map((sum, kind) => sum + lines[kindNames[kind] + '_wasted_bytes'][line]),
    kindNames.map(() => 0));
const kindShare = (sites, row, kind) => {
  const events = sites[kindNames[kind] + '_events'][row];
  return events > 0 ? sites[kindNames[kind] + '_wasted_events'][row] / events : NaN;
};

// --- files: source files, and below them files of machine code ---

const fileCount = data.files.length;
const files = data.files.map((name, index) => ({index, name, source: null, missing: null, isCode: false}))
  .concat(data.codes.map((name, index) => ({index: fileCount + index, name, source: null, missing: null, isCode: true})));
for (const source of data.sources) files[source.file].source = source;
for (const {file, why} of data.missing) files[file].missing = why;
for (const file of files) Object.assign(file, {frames: [], wasted: 0, time: 0, gain: 0, byPosition: null});
for (let frame = 0; frame < frameCount; frame++) {
  const number = frames.file[frame] >= 0 ? frames.file[frame] : frames.code[frame] >= 0 ? fileCount + frames.code[frame] : -1;
  if (number < 0) continue;
  const file = files[number], line = lineOfFrame[frame];
  file.frames.push(frame);
  if (line < 0) continue;
  file.wasted += lines.wasted_bytes[line];
  file.time += hasProfile ? lines.time[line] || 0 : 0;
  file.gain += hasProfile ? lines.gain[line] || 0 : 0;
}
const fileOf = frame => frame < 0 ? -1 : frames.file[frame] >= 0 ? frames.file[frame] :
  frames.code[frame] >= 0 ? fileCount + frames.code[frame] : -1;
const positionOf = frame => frameOf(frame).address ?? frameOf(frame).line;
const baseName = path => path.slice(path.lastIndexOf('/') + 1);

// The frames of each line or address of a file
function framesByPosition(file) {
  if (!file.byPosition) {
    file.byPosition = new Map();
    for (const frame of file.frames) {
      const at = positionOf(frame);
      if (!file.byPosition.has(at)) file.byPosition.set(at, []);
      file.byPosition.get(at).push(frame);
    }
  }
  return file.byPosition;
}
// What the frames of a line waste: bytes by kind, and their time
function lineSums(frameList) {
  const sums = {kinds: new Array(kindNames.length).fill(0), wasted: 0, time: 0};
  for (const frame of frameList) {
    const line = lineOfFrame[frame];
    if (line < 0) continue;
    kindNames.forEach((name, kind) => { sums.kinds[kind] += lines[name + '_wasted_bytes'][line]; });
    sums.wasted += lines.wasted_bytes[line];
    sums.time += hasProfile ? lines.time[line] || 0 : 0;
  }
  return sums;
}

// The lines of a file that the page has: [{line, text}], with {gap} between parts.
function sourceRows(file) {
  const rows = [];
  if (!file.source) {
    const positions = [...framesByPosition(file).keys()].sort((a, b) => a - b);
    for (const at of positions) {
      const names = new Set(framesByPosition(file).get(at).map(frame => shortName(frameOf(frame).name)));
      const instruction = framesByPosition(file).get(at).map(frame => data.instructions[frame]).find(text => text);
      rows.push({line: at, text: [...names].join(', ') + (instruction ? '    ' + instruction : '')});
    }
    return rows;
  }
  let next = 1;
  for (const [first, text] of file.source.parts) {
    if (first > next) rows.push({gap: first - next});
    const parts = text.split('\n');
    parts.forEach((line, i) => rows.push({line: first + i, text: line}));
    next = first + parts.length;
  }
  if (next <= file.source.lines) rows.push({gap: file.source.lines - next + 1});
  for (const at of [...framesByPosition(file).keys()].sort((a, b) => a - b))
    if (at > file.source.lines) rows.push({line: at, text: '', beyond: true});
  return rows;
}
// Lines around one, of a file whose source is there; else null
function sourceAround(frame, around) {
  const file = frame < 0 ? undefined : files[fileOf(frame)];
  if (!file || !file.source) return null;
  const line = positionOf(frame);
  for (const [first, text] of file.source.parts) {
    const parts = text.split('\n');
    if (line < first || line >= first + parts.length) continue;
    const from = Math.max(first, line - around);
    return {line, from, texts: parts.slice(from - first, line - first + around + 1)};
  }
  return null;
}

// --- search: every word must be in a name, file, line or kind. Each word becomes a condition on an item ---

const wordsOf = query => query.toLowerCase().split(/\s+/).filter(word => word);
const searched = new Map(); // by word: whether a frame has it, and whether a context does
function framesWith(word) {
  const known = searched.get(word);
  if (known) return known;
  const fileHas = files.map(file => file.name.toLowerCase().includes(word));
  const hit = new Uint8Array(frameCount), within = new Uint8Array(own.length);
  for (let frame = 0; frame < frameCount; frame++)
    hit[frame] = frames.text[frame].toLowerCase().includes(word) || (fileOf(frame) >= 0 && fileHas[fileOf(frame)]) ? 1 : 0;
  for (let node = 1; node < within.length; node++)
    within[node] = within[nodes.parent[node]] || hit[nodes.frame[node]];
  const result = {hit, within, kinds: kindNames.map(name => name.includes(word) || name.replace('-', ' ').includes(word))};
  if (searched.size > 20) searched.clear();
  searched.set(word, result);
  return result;
}
const pairHas = words => words.map(framesWith).map(({within, kinds}) => pair => kinds[pairs.kind[pair]] ||
  within[pairs.first[pair]] || within[pairs.second[pair]] || within[pairs.scope[pair]] ||
  within[data.object_list[pairs.object[pair]][1]]);
const siteHasKind = (sites, row, kinds) => kinds.some((has, kind) => has && sites[kindNames[kind] + '_wasted_events'][row] > 0);
const siteHasWord = (sites, row, word) => (wordsOfSite(sites, row)?.name ?? '').includes(word);
const lineHas = words => words.map(word => {
  const {hit, kinds} = framesWith(word);
  return line => hit[lines.text[line]] || siteHasKind(lines, line, kinds) || siteHasWord(lines, line, word);
});
const functionHas = words => words.map(word => {
  const {hit, kinds} = framesWith(word);
  return row => functionNames[functions.function[row]].toLowerCase().includes(word) || siteHasKind(functions, row, kinds) ||
    siteHasWord(functions, row, word) || linesOf(functions.function[row]).some(line => hit[lines.text[line]]);
});
