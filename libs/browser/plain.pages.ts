/** Pages without malice, each for one behaviour. */
import type { Page } from './browser.scene.ts'

const html =
  (body: string, headers: Record<string, string> = {}): Page =>
  (_request, response) =>
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(body)

const anyOrigin = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': 'authorization, x-secret',
}

export const plainPages: Record<string, string | Page> = {
  '/plain': '<!doctype html><title>plain</title><h1>Hello</h1>',
  '/made': `<!doctype html><title>made</title><div id="made"></div><script>made.textContent = 'made by a script'</script>`,
  '/components': `<!doctype html><html lang="en"><title>components</title><body class="b"><x-outer>slotted</x-outer>
    <p><template shadowrootmode="open"><i>declared</i></template></p><x-closed></x-closed><script>
    const define = (name, mode, made) => customElements.define(name, class extends HTMLElement {
      connectedCallback() { this.attachShadow({ mode }).innerHTML = made } })
    define('x-inner', 'open', '<b>inner</b>')
    define('x-outer', 'open', '<slot></slot><x-inner></x-inner>')
    define('x-closed', 'closed', 'closed')</script>`,
  '/late': `<!doctype html><div id="late"></div><script>
    fetch('/data').then(answer => answer.text()).then(text => { late.textContent = text })</script>`,
  '/data': (_request, response) => void setTimeout(() => response.end('came late'), 300),
  '/restless': `<!doctype html><p>restless</p><script>setInterval(() => fetch('/plain'), 100)</script>`,
  '/hangs': '<!doctype html><p>shown</p><img src="/never">',
  '/never': () => {},
  '/moved': (_request, response) => response.writeHead(302, { location: '/goes-on' }).end(),
  '/goes-on': '<!doctype html><script>location = "/refreshes-once"</script>',
  '/refreshes-once': '<!doctype html><meta http-equiv="refresh" content="0;url=/plain">',
  '/checks': (request, response) => {
    const isThrough = /through=1/.test(request.headers.cookie ?? '')
    const check = `<p>One moment</p><script>setTimeout(() => { document.cookie = 'through=1'; location.reload() }, 1_500)</script>`
    response.writeHead(isThrough ? 200 : 403, { 'content-type': 'text/html' })
    response.end(`<!doctype html>${isThrough ? '<h1>Come in</h1>' : check}`)
  },
  '/tall': '<!doctype html><body style="margin:0"><div style="height:5000px;background:teal">tall</div>',
  '/dark':
    '<!doctype html><style>@media (prefers-color-scheme: dark) { p::after { content: "dark" } }</style><p></p>',
  '/pictures':
    '<!doctype html><img src="/png"><img src="/png?2"><link rel="stylesheet" href="/css"><p>text</p>',
  '/stores': `<!doctype html><pre></pre><script>
    document.querySelector('pre').textContent = localStorage.length + ' ' + document.cookie
    localStorage.x = 'x'; document.cookie = 'x=x'</script>`,
  '/css': html('p { color: red }', { 'content-type': 'text/css' }),
  '/missing': (_request, response) => response.writeHead(404).end('<!doctype html><p>not here</p>'),
  '/headers': (request, response) =>
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end(`<pre>${JSON.stringify(request.headers)}</pre>`),
  '/elsewhere': (request, response) =>
    response
      .writeHead(302, { location: String(new URL(request.url ?? '', 'http://x').searchParams.get('to')) })
      .end(),
  '/authorization': (request, response) => {
    const { authorization = null, 'x-secret': secret = null } = request.headers
    response.writeHead(200, anyOrigin).end(JSON.stringify([authorization, secret]))
  },
  '/authorization-moved': ({ method }, response) =>
    response.writeHead(method === 'OPTIONS' ? 200 : 302, { location: '/authorization', ...anyOrigin }).end(),
  '/authorizes': `<!doctype html><pre></pre><script>
    const to = new URLSearchParams(location.search).get('to')
    const headers = { authorization: 'Bearer page' }
    const read = (url, options) => fetch(url, options).then(response => response.json()).catch(String)
    Promise.all([
      read(to + '/authorization', { headers }), read(to + '/authorization-moved', { headers }),
      read('/authorization', { headers }), read('/elsewhere?to=' + to + '/authorization'),
    ]).then(all => { document.querySelector('pre').textContent = JSON.stringify(all) })</script>`,
  '/who': `<!doctype html><pre></pre><script>
    const said = () => ({ agent: navigator.userAgent, platform: navigator.platform, languages: navigator.languages,
      brands: (navigator.userAgentData?.brands ?? []).map(({ brand }) => brand), hint: navigator.userAgentData?.platform,
      zone: Intl.DateTimeFormat().resolvedOptions().timeZone, steered: navigator.webdriver === true, width: globalThis.innerWidth })
    const worker = new Worker(URL.createObjectURL(new Blob(['postMessage((' + said + ')())'])))
    worker.onmessage = ({ data }) => {
      document.querySelector('pre').textContent = JSON.stringify({ page: said(), worker: data })
      fetch('/plain')
    }</script>`,
  '/frames-elsewhere': (request, response) => {
    const to = new URL(request.url ?? '', 'http://x').searchParams.get('to')
    const frames = [
      ...['/frame', '/frame?keyed'].map(path => `<iframe src="${to}${path}"></iframe>`),
      `<iframe sandbox="allow-scripts" src="${to}/frame?sandboxed"></iframe>`,
    ]
    response.writeHead(200, { 'content-type': 'text/html' }).end(`<!doctype html>${frames.join('')}`)
  },
  '/frame': (_request, response) =>
    response
      .writeHead(200, { 'content-type': 'text/html', 'origin-agent-cluster': '?1' })
      .end(`<!doctype html>
      <img src="/png"><script>fetch('/data'); new Worker(URL.createObjectURL(new Blob(["fetch('" + location.origin + "/data')"])))
      globalThis.SharedWorker && new SharedWorker('/data')</script>`),
  '/frames-insatiable': (request, response) => {
    const to = new URL(request.url ?? '', 'http://x').searchParams.get('to')
    response.writeHead(200, { 'content-type': 'text/html' }).end(`<iframe src="${to}/insatiable"></iframe>`)
  },
  '/insatiable':
    '<!doctype html><script>setInterval(() => { for (let i = 0; i < 10; i++) fetch("/plain?" + Math.random()) }, 5)</script>',
  '/may': `<!doctype html><pre></pre><script type="module">
    const states = await Promise.all(['geolocation', 'notifications', 'clipboard-read', 'camera'].map(async name =>
      (await navigator.permissions.query({ name })).state))
    const clipboard = await navigator.clipboard.readText().catch(error => error.name)
    document.querySelector('pre').textContent = JSON.stringify({ states, clipboard, opened: open('/plain'),
      peer: typeof RTCPeerConnection, service: await navigator.serviceWorker.register('/css').catch(String) ?? null })</script>`,
}
