'use strict';
{
  const MANY = 12; // rows from which on there is a filter
  const collator = new Intl.Collator(undefined, { numeric: true });

  // A cell's title has all digits of what it shows: "0.0412", "10.1 [9.8, 10.4]". An empty cell gives NaN.
  const number = text => {
    const found = /^[<>~≈ ]*([+-]?(?:inf|\d[\d.]*(?:e[+-]?\d+)?))/.exec(text);
    return !found ? NaN : /inf$/.test(found[1]) ? (found[1][0] === '-' ? -Infinity : Infinity) : parseFloat(found[1]);
  };

  // What a column is sorted by: numbers if it has them, or texts all of which begin with one.
  function keys(rows, at, numeric) {
    const texts = rows.map(row => row.cells[at].title || row.cells[at].textContent);
    const blank = text => text === '' || text === '-' || text === '~';
    const numbers = texts.map(number);
    if (numeric || texts.every((text, i) => blank(text) || !isNaN(numbers[i])))
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

  function show(body, rows) {
    const all = document.createDocumentFragment();
    for (const row of rows) all.append(row);
    body.append(all);
  }

  // A button in each head: the first direction, the other, and the program's order again.
  function addSorting(table, rows) {
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
        show(table.tBodies[0], next ? sorted(rows, at, numeric, next === 'ascending' ? 1 : -1) : rows);
      };
    });
  }

  function addFilter(strip, rows) {
    const input = document.createElement('input'), count = strip.querySelector('span'), all = count.textContent;
    let timer;
    input.type = 'search';
    input.placeholder = 'Filter rows';
    input.setAttribute('aria-label', 'Show only rows with this text');
    input.oninput = () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        const text = input.value.toLowerCase();
        let shown = 0;
        for (const row of rows) shown += !(row.hidden = !row.textContent.toLowerCase().includes(text));
        count.textContent = text ? `${shown} of ${all}` : all;
      }, 120);
    };
    count.setAttribute('role', 'status');
    strip.append(input);
  }

  for (const table of document.querySelectorAll('table')) {
    const rows = [...table.tBodies[0].rows], strip = table.parentNode.previousElementSibling;
    if (rows.length > 1) addSorting(table, rows);
    if (rows.length > MANY) addFilter(strip, rows);
  }
}
