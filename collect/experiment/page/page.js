// What is folded away is on paper, too, unless it is marked as only for the screen.
{
  let opened = [];
  addEventListener('beforeprint', () => {
    opened = [...document.querySelectorAll('details.printed:not([open])')];
    for (const details of opened) details.open = true;
  });
  addEventListener('afterprint', () => {
    for (const details of opened) details.open = false;
  });
}
