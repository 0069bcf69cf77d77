/** A page that tries every known way out of a browser, to one address. */

/** Kept apart from its bracket, because the line would otherwise be read as an import of this file. */
const load = 'import'

/** Markup or script of each way, for an address without a scheme (`127.0.0.1:80`). The path names the way. */
const ways: Record<string, (at: string) => string> = {
  img: at => `<img src="http://${at}/img">`,
  iframe: at => `<iframe src="http://${at}/iframe"></iframe>`,
  fetch: at => script(`fetch('http://${at}/fetch', { mode: 'no-cors' }).catch(() => {})`),
  xhr: at => script(`const x = new XMLHttpRequest(); x.open('GET', 'http://${at}/xhr'); x.send()`),
  websocket: at => script(`new WebSocket('ws://${at}/websocket')`),
  eventsource: at => script(`new EventSource('http://${at}/eventsource')`),
  beacon: at => script(`navigator.sendBeacon('http://${at}/beacon', 'x')`),
  worker: at =>
    script(
      `new Worker(URL.createObjectURL(new Blob(["fetch('http://${at}/worker', { mode: 'no-cors' })"])))`,
    ),
  sharedworker: at =>
    script(
      `new SharedWorker(URL.createObjectURL(new Blob(["fetch('http://${at}/sharedworker', { mode: 'no-cors' })"])))`,
    ),
  serviceworker: at =>
    script(`navigator.serviceWorker?.register('/service-worker?http://${at}/serviceworker')`),
  popup: at => script(`open('http://${at}/popup')`),
  refresh: at =>
    `<iframe srcdoc='<meta http-equiv="refresh" content="0;url=http://${at}/refresh">'></iframe>`,
  navigation: at => `<iframe srcdoc='<script>location = "http://${at}/navigation"</script>'></iframe>`,
  form: at =>
    `<iframe name="sent"></iframe><form id="form" method="post" action="http://${at}/form" target="sent"></form>${script('form.submit()')}`,
  style: at =>
    `<div style="background: url(http://${at}/style)">x</div><style>@import "http://${at}/import";</style>`,
  font: at =>
    `<style>@font-face { font-family: f; src: url(http://${at}/font) }</style><p style="font-family: f">x</p>`,
  video: at =>
    `<video src="http://${at}/video" autoplay muted></video><audio src="http://${at}/audio" autoplay></audio>`,
  prefetch: at => `<link rel="prefetch" href="http://${at}/prefetch">`,
  preconnect: at => `<link rel="preconnect" href="http://${at}">`,
  'dns-prefetch': () => '<link rel="dns-prefetch" href="http://canary.example.com">',
  webrtc: at =>
    script(`const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:${at}' }, { urls: 'turn:${at}?transport=tcp', username: 'u', credential: 'p' }] })
    peer.createDataChannel('x'); peer.createOffer().then(offer => peer.setLocalDescription(offer))`),
  embed: at => `<embed src="http://${at}/embed"><object data="http://${at}/object"></object>`,
  redirect: at => `<img src="/redirect?http://${at}/redirect">`,
  script: at =>
    `<script src="http://${at}/script"></script>${script(`${load}('http://${at}/module').catch(() => {})`)}`,
  speculation:
    at => `<script type="speculationrules">{ "prerender": [{ "source": "list", "urls": ["http://${at}/prerender"], "eagerness": "immediate" }],
    "prefetch": [{ "source": "list", "urls": ["http://${at}/speculation"], "eagerness": "immediate" }] }</script>`,
  webtransport: at => script(`new WebTransport('https://${at}/webtransport').ready.catch(() => {})`),
  ping: at => `<a id="pinged" ping="http://${at}/ping" href="#here">x</a>${script('pinged.click()')}`,
  favicon: at => `<link rel="icon" href="http://${at}/favicon">`,
}

export const wayNames = Object.keys(ways)

/** @param addresses each is tried in every way */
export function pageOfWaysOut(addresses: string[]): string {
  const tried = addresses.flatMap(at => Object.values(ways).map(way => way(at)))
  return `<!doctype html><title>ways out</title>${tried.join('\n')}`
}

function script(code: string): string {
  return `<script>try { (() => { ${code} })() } catch {}</script>`
}
