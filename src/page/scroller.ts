/** Draws only those rows of a long list that are in view. */

export interface ScrollerOptions {
  readonly draw: (at: number, element: HTMLElement) => void;
  /** Called when a row is clicked, or Enter is pressed on it. */
  readonly choose: (at: number) => void;
}

/** Rows drawn above and below the view. */
const margin = 6;

/** `view` scrolls. `space` in it is as high as all rows. The style property `--row` is the height of a row. */
export function createScroller(view: HTMLElement, space: HTMLElement, { draw, choose }: ScrollerOptions) {
  let count = 0;
  let current = -1;
  const rowHeight = () => Number.parseFloat(getComputedStyle(view).getPropertyValue('--row')) || 60;

  const render = () => {
    const height = rowHeight();
    space.style.height = `${count * height}px`;
    view.style.height = `${count * height + 2}px`;
    const first = Math.max(0, Math.floor(view.scrollTop / height) - margin);
    const last = Math.min(count, Math.ceil((view.scrollTop + view.clientHeight) / height) + margin);
    // Rows that stay in view are left as they are, so that a text selected in them stays selected.
    for (const row of space.querySelectorAll<HTMLElement>('.row')) {
      const at = Number(row.dataset['at']);
      if (at < first || at >= last) row.remove();
    }
    for (let at = first; at < last; at++) {
      const row = space.querySelector<HTMLElement>(`[data-at="${at}"]`) ?? add(at);
      row.style.transform = `translateY(${at * height}px)`;
      row.classList.toggle('current', at === current);
    }
  };
  const add = (at: number) => {
    const row = document.createElement('div');
    row.className = 'row';
    row.setAttribute('role', 'row');
    row.setAttribute('aria-rowindex', String(at + 1));
    row.dataset['at'] = String(at);
    draw(at, row);
    space.append(row);
    return row;
  };
  const select = (at: number) => {
    current = Math.max(0, Math.min(count - 1, at));
    const top = current * rowHeight();
    if (top < view.scrollTop) view.scrollTop = top;
    const end = top + rowHeight() - view.clientHeight;
    if (end > view.scrollTop) view.scrollTop = end;
    render();
  };

  view.addEventListener('scroll', render, { passive: true });
  addEventListener('resize', render);
  view.addEventListener('click', ({ target }) => {
    const row = target instanceof Element ? target.closest<HTMLElement>('.row') : null;
    if (row === null) return;
    select(Number(row.dataset['at']));
    choose(current);
  });
  const steps: Readonly<Record<string, () => number>> = {
    ArrowDown: () => current + 1,
    ArrowUp: () => current - 1,
    Home: () => 0,
    End: () => count - 1,
  };
  view.addEventListener('keydown', (event) => {
    const step = steps[event.key];
    if (count === 0 || (step === undefined && event.key !== 'Enter')) return;
    event.preventDefault();
    if (step !== undefined) select(step());
    else if (current >= 0) choose(current);
  });

  return {
    /** Shows another list from its start. */
    show(rows: number) {
      count = rows;
      current = -1;
      space.replaceChildren();
      view.setAttribute('aria-rowcount', String(rows));
      view.scrollTop = 0;
      render();
    },
  };
}
