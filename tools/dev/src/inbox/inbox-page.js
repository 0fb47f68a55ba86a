const pageSize = 100;
const mostShown = 500;
const views = ['html', 'text', 'headers', 'raw'];
const at = (id) => document.getElementById(id);

let shown = [];
let arriving = [];
let older = null;
let total = 0;
let opened = null;

const noMail = at('empty').textContent.trim();

async function fetchJson(path) {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return response.json();
}

function listPath(after) {
  const query = new URLSearchParams({ limit: String(pageSize) });
  if (at('search').value.trim()) query.set('q', at('search').value.trim());
  if (after) query.set('after', after);
  return `/api/messages?${query}`;
}

async function loadList() {
  const path = listPath();
  const page = await fetchJson(path);
  // A slower answer to an earlier search must not replace this one.
  if (path !== listPath()) return;
  ({ messages: shown, after: older, total } = page);
  drawList();
}

async function loadOlder() {
  const page = await fetchJson(listPath(older));
  older = page.after;
  shown = [...shown, ...page.messages];
  drawList();
}

/** A burst of mails is drawn once a frame, and the list stays short enough to draw. */
function arrived(message) {
  total++;
  if (at('search').value.trim()) return void loadList();
  if (arriving.push(message) === 1) requestAnimationFrame(drawArrived);
}

function drawArrived() {
  const known = new Set(shown.map(({ id }) => id));
  shown = [...arriving.filter(({ id }) => !known.has(id)).reverse(), ...shown];
  arriving = [];
  if (shown.length > mostShown) {
    shown = shown.slice(0, mostShown);
    older = shown.at(-1).id;
  }
  drawList();
}

function drawList() {
  const focused = document.activeElement?.dataset?.id;
  at('messages').replaceChildren(...shown.map(listItem));
  at('count').textContent = total === 1 ? '1 message' : `${total.toLocaleString()} messages`;
  const term = at('search').value.trim();
  at('empty').textContent = term ? `No message matches “${term}”.` : noMail;
  at('empty').hidden = shown.length > 0;
  at('older').hidden = older === null;
  document.title = total > 0 ? `(${total}) Posthorn inbox` : 'Posthorn inbox';
  if (focused) itemOf(focused)?.focus({ preventScroll: true });
}

function listItem(message, index) {
  const item = element('li', '', '');
  item.dataset.id = message.id;
  item.setAttribute('role', 'option');
  item.setAttribute('aria-selected', String(message.id === opened));
  item.tabIndex = message.id === opened || (!shown.some(({ id }) => id === opened) && index === 0) ? 0 : -1;
  const time = element('time', '', whenReceived(message.receivedAt));
  time.dateTime = message.receivedAt;
  item.append(element('span', 'from', message.from || message.envelope.from || '(no sender)'), time);
  item.append(
    element('span', 'subject', message.subject || '(no subject)'),
    element('span', 'to', `to ${message.envelope.to.join(', ')}`),
  );
  item.addEventListener('click', () => open(message.id));
  return item;
}

function whenReceived(instant) {
  const date = new Date(instant);
  const today = date.toDateString() === new Date().toDateString();
  return today
    ? date.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
    : date.toLocaleDateString([], { day: 'numeric', month: 'short' });
}

function element(name, className, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.textContent = text;
  return made;
}

function itemOf(id) {
  return [...at('messages').children].find((item) => item.dataset.id === id);
}

async function open(id) {
  opened = id;
  history.replaceState(null, '', `#${id}`);
  drawList();
  const message = await fetchJson(`/api/messages/${id}`).catch(() => null);
  if (opened !== id) return;
  if (message === null) return close();
  drawMessage(message);
  at('panes').classList.add('reading');
  const raw = await (await fetch(`/api/messages/${id}/raw`)).text();
  if (opened === id) at('view-raw').textContent = raw;
}

function drawMessage(message) {
  at('unselected').hidden = true;
  at('opened').hidden = false;
  at('subject').textContent = message.subject || '(no subject)';
  const facts = [
    [
      'From',
      message.headers.find(({ name }) => name.toLowerCase() === 'from')
        ? message.from
        : message.envelope.from,
    ],
    ['To', message.to.join(', ') || message.envelope.to.join(', ')],
    ['Cc', message.cc.join(', ')],
    ['Envelope', `${message.envelope.from || '<>'} → ${message.envelope.to.join(', ')}`],
    ['Received', new Date(message.receivedAt).toLocaleString()],
  ];
  at('facts').replaceChildren(
    ...facts
      .filter(([, value]) => value)
      .flatMap(([name, value]) => [element('dt', '', name), element('dd', '', value)]),
  );
  at('attachments').replaceChildren(
    ...message.attachments.map((part) =>
      element('li', '', `${part.filename ?? part.mimeType} · ${Math.ceil(part.size / 1024)} KB`),
    ),
  );
  at('view-text').textContent = message.text ?? '(no text part)';
  at('view-raw').textContent = '';
  at('headers').replaceChildren(...message.headers.map(headerRow));
  at('frame').src = `/api/messages/${message.id}/html`;
  at('tab-html').disabled = message.html === null;
  choose(message.html === null ? 'text' : 'html');
}

function headerRow({ name, value }) {
  const row = document.createElement('tr');
  row.append(element('th', '', name), element('td', '', value));
  return row;
}

function choose(view) {
  for (const name of views) {
    at(`view-${name}`).hidden = name !== view;
    at(`tab-${name}`).setAttribute('aria-selected', String(name === view));
    at(`tab-${name}`).tabIndex = name === view ? 0 : -1;
  }
}

function close() {
  const item = itemOf(opened);
  opened = null;
  history.replaceState(null, '', location.pathname);
  at('panes').classList.remove('reading');
  at('opened').hidden = true;
  at('unselected').hidden = false;
  drawList();
  if (item) itemOf(item.dataset.id)?.focus();
}

function move(step) {
  const items = [...at('messages').children];
  const current = items.findIndex(
    (item) =>
      item === document.activeElement ||
      (!items.includes(document.activeElement) && item.dataset.id === opened),
  );
  items[Math.min(Math.max(current + step, 0), items.length - 1)]?.focus();
}

function moveTab(event) {
  const enabled = views.filter((name) => !at(`tab-${name}`).disabled);
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  const current = enabled.findIndex((name) => at(`tab-${name}`) === document.activeElement);
  const next = enabled[(current + step + enabled.length) % enabled.length];
  choose(next);
  at(`tab-${next}`).focus();
}

const keys = {
  ArrowDown: () => move(1),
  j: () => move(1),
  ArrowUp: () => move(-1),
  k: () => move(-1),
  Enter: () => document.activeElement.click(),
  Escape: close,
  '/': () => at('search').focus(),
};

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target === at('search')) {
    if (event.key === 'ArrowDown' || event.key === 'Escape') move(1);
    return;
  }
  const inView = event.target.closest?.('.view, .tabs, button');
  if (keys[event.key] && !(inView && event.key !== 'Escape' && event.key !== '/')) {
    event.preventDefault();
    keys[event.key]();
  }
});
at('search').addEventListener('input', loadList);
at('older').addEventListener('click', loadOlder);
at('back').addEventListener('click', close);
at('clear').addEventListener(
  'click',
  () => confirm(`Delete all ${total} messages?`) && fetch('/api/messages', { method: 'DELETE' }),
);
document.querySelector('.tabs').addEventListener('keydown', moveTab);
for (const name of views) at(`tab-${name}`).addEventListener('click', () => choose(name));

const stream = new EventSource('/api/stream');
stream.addEventListener('open', () => {
  at('live').textContent = 'live';
  at('live').classList.add('on');
  loadList();
});
stream.addEventListener('error', () => {
  at('live').textContent = 'waiting for the inbox';
  at('live').classList.remove('on');
});
stream.addEventListener('message', (event) => arrived(JSON.parse(event.data)));
stream.addEventListener('cleared', () => {
  close();
  loadList();
});
if (location.hash) open(location.hash.slice(1));
