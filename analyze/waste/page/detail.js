// What is shown beside or below a list: a pair with its paths, a function or line, an object or a loop.
const tile = (name, value, more) => el('div', {class: 'tile', title: more}, el('span', {}, name), el('b', {}, value));
const link = (target, ...children) => el('a', {href: hashOf(target)}, ...children);

function snippet(frame, around = 2) {
  const found = sourceAround(frame, around);
  if (!found) return null;
  return el('div', {class: 'snippet'}, ...found.texts.map((text, i) =>
    el('div', {class: found.from + i === found.line ? 'hit' : ''}, el('i', {}, String(found.from + i)), text || ' ')));
}

function frameRow(node, isLast) {
  const frame = nodes.frame[node], file = fileOf(frame);
  const classes = 'frame' + (isLast ? ' last' : '');
  const parts = [frameText(frame), file >= 0 ? el('span', {class: 'file', title: files[file].name}, el('bdi', {dir: 'ltr'}, baseName(files[file].name))) : null];
  return file >= 0 ? el('a', {class: classes, href: hashOf({view: 'source', file, line: positionOf(frame)})}, ...parts) :
    el('div', {class: classes}, ...parts);
}

// Both paths, outermost first: what they share once, then each its own way.
const SHARED_MOST = 8;
function pathway(pair) {
  const kind = pairs.kind[pair], first = pathOf(pairs.first[pair]), second = pathOf(pairs.second[pair]);
  let shared = 0;
  while (shared < first.length && shared < second.length && first[shared] === second[shared]) shared++;
  const same = shared === first.length && shared === second.length;
  const whole = same ? 0 : shared;
  const common = el('div', {class: 'shared'}), both = same ? first.slice(0, -1) : first.slice(0, whole);
  const fill = all => {
    const folded = !all && both.length > SHARED_MOST;
    const rows = (folded ? both.slice(0, 2) : both).map(node => frameRow(node, false));
    if (folded)
      rows.push(el('button', {type: 'button', class: 'chip', style: 'margin:2px 8px', onclick: () => fill(true)},
        `${both.length - 6} more frames`), ...both.slice(-4).map(node => frameRow(node, false)));
    common.replaceChildren(...rows);
  };
  fill(false);
  const names = isStore(kind) ? (kindNames[kind] === 'dead-store' ? ['stored, and never read', 'stored again'] :
    ['stored', 'stored the same value again']) : ['loaded', 'loaded the same value again'];
  const side = (path, which, title) => {
    const last = path.length > 0 ? path[path.length - 1] : 0, frame = nodes.frame[last];
    const rest = same ? path.slice(-1) : path.slice(whole);
    const sampled = data.sampled_instructions ? pairs['instruction_' + (which + 1)][pair] : -1;
    const instruction = sampled >= 0 ? data.sampled_instructions[sampled] : data.instructions[frame] || null;
    return el('div', {class: 'side', '--kind': kindColor(kind)}, el('h3', {}, title),
      ...(path.length === 0 ? [el('div', {class: 'frame last'}, middle('[unknown]'))] : rest.length === 0 ?
        [el('div', {class: 'frame last quiet'}, 'in the last shared frame')] : rest.map((node, i) => frameRow(node, i === rest.length - 1))),
      instruction ? el('div', {class: 'snippet'}, el('div', {class: 'hit'}, instruction)) : null,
      path.length > 0 ? snippet(nodes.frame[own[last]]) : null);
  };
  const parting = same ? 'both in the same context' : both.length === 0 ? 'the paths share nothing' : 'the paths part here';
  return el('div', {class: 'pathway'}, common, el('div', {class: 'parting'}, parting),
    el('div', {class: same ? '' : 'sides'}, ...(same ? [side(second, 1, `${names[0]}, then ${names[1]}`)] :
      [side(first, 0, '1. ' + names[0]), side(second, 1, '2. ' + names[1])])));
}

function pairDetail(pair) {
  const kind = pairs.kind[pair], scope = pairs.scope[pair], object = pairs.object[pair];
  const limits = pairs.lo ? interval(pairs.lo[pair], pairs.hi[pair]) : '';
  const box = el('div', {class: 'detail', tabindex: '0'},
    el('div', {class: 'tiles'},
      tile('kind', kindBadge(kind)),
      tile('wasted bytes', bytes(pairs.wasted_bytes[pair]), count(pairs.wasted_bytes[pair]) + ' bytes in all runs'),
      tile('redundant', percent(pairRedundant(pair)), 'wasted bytes over all bytes of this pair'),
      tile(`of all bytes ${isStore(kind) ? 'stored' : 'loaded'}`, percent(pairShare(pair)), 'fraction, mean over runs ' + limits),
      tile('wasted accesses', compact(pairs.wasted_events[pair]), `${count(pairs.wasted_events[pair])} of ${count(pairs.events[pair])} accesses of this pair`),
      tile('all accesses', compact(pairs.events[pair]), count(pairs.events[pair])),
      tile('of all traffic', percent(pairTraffic(pair)), 'wasted bytes over all bytes loaded and stored')));
  const facts = el('p', {class: 'facts'});
  if (limits) facts.append(el('span', {}, 'interval ', el('b', {}, limits)));
  facts.append(el('span', {style: 'display:flex;gap:6px;min-width:0'}, 'loop: ', scope > 0 ?
    link({view: 'pairs', scope}, frameText(nodes.frame[scope])) : el('span', {class: 'quiet'}, 'within no loop, or unknown')));
  if (object > 0)
    facts.append(el('span', {style: 'display:flex;gap:6px;min-width:0'}, `${data.object_list[object][0]} object: `,
      link({view: 'pairs', object}, frameText(nodes.frame[data.object_list[object][1]]))));
  box.append(facts, pathway(pair));
  return box;
}

const linkedRow = (target, badge, text, number) => el('li', {}, link(target, badge, text, el('span', {class: 'n'}, number)));
const SHOWN_MOST = 12;

function pairLinks(list, target, title) {
  const sorted = list.slice().sort((a, b) => pairs.wasted_bytes[b] - pairs.wasted_bytes[a]);
  if (sorted.length === 0) return [];
  return [el('div', {class: 'label'}, title), el('ul', {class: 'rows-of'}, ...sorted.slice(0, SHOWN_MOST).map(pair => {
    const other = wastedSide(pairs.kind[pair]) === 'first' ? pairs.second[pair] : pairs.first[pair];
    return linkedRow({view: 'pairs', pair}, kindBadge(pairs.kind[pair]), frameText(nodes.frame[other]),
      bytes(pairs.wasted_bytes[pair]));
  })), sorted.length > SHOWN_MOST ? el('p', {}, link(target, `all ${plural(sorted.length, 'pair')}`)) : null];
}

function siteTiles(sites, row) {
  const tiles = [tile('wasted bytes', bytes(sites.wasted_bytes[row]), count(sites.wasted_bytes[row]) + ' bytes in all runs'),
    tile('of all traffic', percent(sites.traffic_share[row]), 'wasted bytes over all bytes loaded and stored'),
    tile('wasted', percent(wastedShare(sites, row)), `${count(sites.wasted_accesses[row])} of ${count(sites.accesses[row])} accesses in pairs`),
    tile('accesses in pairs', compact(sites.accesses[row]), count(sites.accesses[row]))];
  if (hasProfile)
    tiles.unshift(tile('gain', percent(sites.gain[row]), 'time of the wasted accesses ' + interval(sites.gain_lo[row], sites.gain_hi[row])),
      tile('bound', percent(sites.bound[row]), 'with code that may be needed for them alone ' + interval(sites.bound_lo[row], sites.bound_hi[row])),
      tile('time', percent(sites.time[row]), 'share of the samples of the CPU profile'));
  for (const kind of kindsShown)
    if (sites[kindNames[kind] + '_events'][row] > 0)
      tiles.push(tile(kindLabel(kind) + 's', percent(kindShare(sites, row, kind)), `of its ${isStore(kind) ? 'stores' : 'loads'} in pairs`));
  return el('div', {class: 'tiles'}, ...tiles);
}

// What the waste looks like, what shows it, and what usually mends it
function finding(sites, row) {
  const words = wordsOfSite(sites, row);
  if (!isWorded(sites, row) && sites.wasted_bytes[row] > 0)
    return el('p', {class: 'quiet'}, 'The page says only of the first 500 rows what their waste looks like; assay waste --functions 0 or --lines 0 says it of all.');
  return words && el('div', {class: 'finding'}, el('h3', {}, words.name), el('p', {class: 'quiet'}, words.evidence), el('p', {}, words.remedy),
    words.second ? el('p', {class: 'quiet'}, words.second) : null);
}

function functionDetail(row) {
  const number = functions.function[row], own_lines = linesOf(number);
  const {wasting} = pairsAtFrames();
  const list = own_lines.flatMap(line => wasting.get(lines.text[line]) || []);
  const first = own_lines.find(line => fileOf(lines.text[line]) >= 0);
  return el('div', {class: 'detail', tabindex: '0'}, el('h2', {class: 'name'}, functionNames[number]),
    first === undefined ? null : el('p', {}, link({view: 'source', file: fileOf(lines.text[first]),
      line: positionOf(lines.text[first])}, 'Source: ' + baseName(files[fileOf(lines.text[first])].name))),
    finding(functions, row), siteTiles(functions, row), el('div', {class: 'label'}, 'Lines'),
    el('ul', {class: 'rows-of'}, ...own_lines.slice(0, SHOWN_MOST).map(line => linkedRow({view: 'lines', sel: line},
      null, frameText(lines.text[line]), hasProfile ? percent(lines.gain[line]) : bytes(lines.wasted_bytes[line])))),
    own_lines.length > SHOWN_MOST ? el('p', {}, link({view: 'lines', q: functionNames[number]}, `all ${plural(own_lines.length, 'line')}`)) : null,
    ...pairLinks(list, {view: 'pairs', fn: number}, 'Pairs that waste here, by the other access'));
}

function lineDetail(line) {
  const frame = lines.text[line], {wasting, other} = pairsAtFrames(), file = fileOf(frame);
  return el('div', {class: 'detail', tabindex: '0'}, el('h2', {class: 'name'}, frames.text[frame]),
    file < 0 ? null : el('p', {}, link({view: 'source', file, line: positionOf(frame)},
      `${files[file].isCode ? 'Instructions' : 'Source'}: ${baseName(files[file].name)}`)),
    finding(lines, line), siteTiles(lines, line), snippet(frame, 4),
    data.instructions[frame] ? el('div', {class: 'snippet'}, el('div', {class: 'hit'}, data.instructions[frame])) : null,
    ...pairLinks(wasting.get(frame) || [], {view: 'pairs', frame}, 'Pairs that waste here, by the other access'),
    ...pairLinks(other.get(frame) || [], {view: 'pairs', frame}, 'Pairs whose other access is here'),
    lines.node[line] > 0 ? el('div', {class: 'label'}, 'The context that wastes most') : null,
    lines.node[line] > 0 ? el('div', {class: 'pathway'}, el('div', {class: 'shared'},
      ...pathOf(lines.node[line]).map((node, i, all) => frameRow(node, i === all.length - 1)))) : null);
}

function locationDetail(rows, row, target, title, node) {
  const key = 'scope' in target ? 'scope' : 'object', wanted = target[key];
  const list = [];
  for (let pair = 0; pair < pairCount; pair++)
    if (pairs[key][pair] === wanted && pairs.kind[pair] === rows.kind[row]) list.push(pair);
  const file = fileOf(nodes.frame[node]);
  return el('div', {class: 'detail', tabindex: '0'}, el('h2', {class: 'name'}, title),
    el('div', {class: 'tiles'}, tile('kind', kindBadge(rows.kind[row])),
      tile('wasted bytes', bytes(rows.wasted_bytes[row]), count(rows.wasted_bytes[row]) + ' bytes in all runs'),
      tile('redundant', percent(rows.pair_fraction[row]), 'wasted bytes over all bytes of these pairs'),
      tile('fraction', percent(rows.fraction[row]), key === 'scope' ? 'of all bytes loaded or stored, mean over runs' : 'of the bytes of all pairs in objects, mean over runs'),
      tile('wasted accesses', compact(rows.wasted_events[row]), `${count(rows.wasted_events[row])} of ${count(rows.events[row])}`)),
    file >= 0 ? snippet(nodes.frame[node], 3) : null,
    key === 'object' && node > 0 ? el('div', {class: 'pathway'}, el('div', {class: 'shared'},
      ...pathOf(node).map((at, i, all) => frameRow(at, i === all.length - 1)))) : null,
    ...pairLinks(list, {view: 'pairs', [key]: wanted, kind: kindNames[rows.kind[row]]}, `${plural(list.length, 'pair')}, by the other access`));
}
