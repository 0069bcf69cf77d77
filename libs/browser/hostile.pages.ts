/** Pages that consume many resources or never end. The pool limits each. */
import type http from 'node:http'
import type { Page } from './browser.scene.ts'

const script = (code: string) => `<!doctype html><title>hostile</title><p>before</p><script>${code}</script>`

const html = (response: http.ServerResponse) =>
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })

/** Sends the beginning of the page and then nothing. */
const halfSent: Page = (_request, response) => {
  html(response).write('<!doctype html><title>half</title><p>first half</p>')
}

/** Does not respond to the first request. */
const stallsOnce = (): Page => {
  let isFirst = true
  return (_request, response) => {
    if (!isFirst) html(response).end('<!doctype html><title>at last</title><p>there now</p>')
    isFirst = false
  }
}

const neverEnding: Page = (_request, response) => {
  html(response)
  const more = () => {
    if (response.destroyed) return
    response.write('<p>more and more</p>'.repeat(50))
    setTimeout(more, 20)
  }
  more()
}

const file =
  (type: string, body: string | Buffer, more = {}): Page =>
  (_request, response) =>
    response.writeHead(200, { 'content-type': type, ...more }).end(body)

const goes =
  (where: string): Page =>
  (_request, response) =>
    response.writeHead(302, { location: where }).end()

const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

export const hostilePages: Record<string, string | Page> = {
  '/alerts': script('setInterval(() => alert(1), 1); onbeforeunload = () => "stay"'),
  '/alert-loop': script('for (;;) alert(1)'),
  '/loop': script('while (1);'),
  '/memory': script(
    'const kept = []; for (let i = 0; i < 100; i++) kept.push(new Uint8Array(1e8).fill(i + 1))',
  ),
  '/heap': script('const kept = []; for (;;) kept.push(new Array(1e5).fill({}))'),
  '/popups': script('for (let i = 0; i < Number(location.search.slice(1)); i++) window.open("/plain?" + i)'),
  '/links': script(`for (let i = 0; i < Number(location.search.slice(1)); i++) {
    const link = document.createElement('a'); link.href = '/plain?' + i; link.target = '_blank'; document.body.append(link); link.click()
  }`),
  '/saves':
    script(`const link = document.createElement('a'); link.href = 'data:application/zip,x'; link.download = 'x.zip'
    document.body.append(link); link.click()`),
  '/print': script('print(); document.body.append("printed")'),
  '/beforeunload': script('onbeforeunload = event => { event.preventDefault(); return "stay" }'),
  '/big': script(`for (let i = 0; i < 500; i++) {
    const p = document.createElement('p'); p.hidden = true; p.textContent = 'x'.repeat(100000); document.body.append(p) }`),
  '/sockets': script(`const open = () => { for (let i = 0; i < 20; i++) {
    const socket = new WebSocket('ws://' + location.host + '/socket')
    socket.onopen = () => setInterval(() => socket.send('x'.repeat(10000)), 1) } }
    setInterval(open, 10)`),
  '/requests': script(
    'setInterval(() => { for (let i = 0; i < 50; i++) fetch("/plain?" + Math.random()) }, 5)',
  ),
  '/reloads': script('onload = () => location.reload()'),
  '/refreshes': '<!doctype html><meta http-equiv="refresh" content="0"><p>again</p>',
  '/frames': script(`for (let i = 0; i < Number(location.search.slice(1)); i++) {
    const frame = document.createElement('iframe'); frame.src = 'http://127.1.1.' + i + ':' + location.port + '/plain'
    document.body.append(frame) }`),
  '/workers': script('for (let i = 0; i < 50; i++) new Worker(URL.createObjectURL(new Blob(["for(;;);"])))'),
  '/deep': `<!doctype html><body>${'<div>'.repeat(20_000)}deep`,
  '/history': script('for (let i = 0; i < 1e5; i++) history.pushState(i, "", "?" + i)'),
  '/half': halfSent,
  '/never-ending': neverEnding,
  '/stalls-once': stallsOnce(),
  '/pdf': file('application/pdf', '%PDF-1.4\n%%EOF'),
  '/zip': file('application/octet-stream', 'PK', { 'content-disposition': 'attachment; filename="x.zip"' }),
  '/json': file('application/json', '{"a":1}'),
  '/text': file('text/plain', 'plain text'),
  '/png': file('image/png', pixel),
  '/empty': (_request, response) => response.writeHead(204).end(),
  '/circle': goes('/circle'),
  '/astray':
    '<!doctype html><meta http-equiv="refresh" content="0;url=https://127.1.0.9:44444/"><p>before</p>',
  '/to-file': goes('file:///etc/passwd'),
  '/to-chrome': goes('chrome://gpucrash'),
  '/cut': (_request, response) => response.destroy(),
  '/opens-files': script(`location = 'file:///etc/passwd'`),
  '/opens-chrome': script(`location = 'chrome://gpucrash'; try { open('chrome://crash') } catch {}`),
  '/reads-files':
    '<!doctype html><iframe src="file:///etc/passwd"></iframe><img src="file:///etc/passwd"><p>here</p>',
  '/other-programs': script(`location = 'mailto:x@example.com'`),
}
