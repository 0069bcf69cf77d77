/** Changes that violate the rules of people, delivery and answer engines. */
import {
  add,
  addToHead,
  at,
  body,
  both,
  context,
  headers,
  own,
  type Pair,
  site,
  swap,
  words,
} from './audit-changes.scene.ts'

export const peoplePairs: Record<string, Pair> = {
  'a11y/label-missing': { change: add('<input name="place">') },
  'a11y/button-name': { change: add('<button><svg><path d="M0"/></svg></button>') },
  'a11y/image-button-alt': { change: add('<input type="image" src="/go.png">') },
  'a11y/label-for-missing': { change: add('<label for="gone">Place</label>') },
  'a11y/nested-control': { change: add(`<a href="${own}">Other <button>tides</button></a>`) },
  'a11y/duplicate-id': { change: add('<p id="moon">The moon again.</p>') },
  'a11y/iframe-title': { change: add('<iframe src="https://moon.example/"></iframe>') },
  'a11y/table-headers': {
    change: add(`<table>${'<tr><td>a</td><td>b</td><td>c</td></tr>'.repeat(3)}</table>`),
  },
  'a11y/tabindex-positive': { change: add(`<a href="${own}" tabindex="3">Other tides</a>`) },
  'a11y/role-unknown': { change: add('<div role="buton">Tides</div>') },
  'a11y/reference-missing': { change: add('<div role="group" aria-labelledby="gone">Tides</div>') },
  'a11y/body-hidden': { change: swap(['<body>', '<body aria-hidden="true">']), also: ['h1/missing'] },
  'a11y/list-item-outside': { change: add('<div><li>Tides</li></div>') },
  'a11y/accesskey-duplicate': {
    change: add(`<a href="${own}" accesskey="t">Other tides</a> <a href="/3" accesskey="t">Third tides</a>`),
  },
  'a11y/autoplay': { change: add('<audio src="/sea.mp3" autoplay></audio>') },
  'a11y/video-captions': { change: add('<video src="/sea.mp4" controls></video>') },
  'a11y/drawing-name': { change: add('<svg role="img"><path d="M0"/></svg>') },
  'a11y/moving-text': { change: add('<marquee>Tides</marquee>') },
  'a11y/object-alternative': { change: add('<object data="/map.svg"></object>') },
}

export const deliveryPairs: Record<string, Pair> = {
  'compression/missing': {
    change: both(headers({ 'content-encoding': null }), add(`<div>${words(900)}</div>`)),
  },
  'caching/missing': { change: headers({ etag: null }) },
  'caching/no-store': { change: headers({ 'cache-control': 'private, no-store' }) },
  'caching/vary-everything': { change: headers({ vary: '*' }) },
  'speed/slow-answer': { change: context({ elapsedMs: 2_500 }) },
  'weight/html': { change: addToHead(`<!-- ${'x'.repeat(2_100_000)} -->`) },
  'weight/elements': { change: add('<b>a</b> '.repeat(1_400)) },
  'weight/inline-code': { change: addToHead(`<style>${'a{color:red}'.repeat(10_000)}</style>`) },
  'weight/embedded-images': {
    change: add(`<img src="data:image/png;base64,${'A'.repeat(110_000)}" alt="A ship" width="9" height="9">`),
  },
  'weight/blocking-scripts': {
    change: addToHead(Array.from({ length: 6 }, (_, n) => `<script src="/${n}.js"></script>`).join('')),
  },
  'weight/script-twice': { change: addToHead('<script defer src="/count.js"></script>') },
  'security/not-https': { change: both(at('http://harbour.example/tides')) },
  'mixed-content/active': { change: addToHead('<script defer src="http://cdn.example/a.js"></script>') },
  'mixed-content/passive': {
    change: add('<img src="http://cdn.example/a.png" alt="A ship" width="9" height="9">'),
  },
  'security/form-insecure': {
    change: add('<form action="http://harbour.example/go"><button>Go</button></form>'),
  },
  'security/password-insecure': {
    change: both(at('http://harbour.example/tides'), add('<input type="password" aria-label="Password">')),
    also: ['security/not-https'],
  },
  'security/hsts-missing': { change: headers({ 'strict-transport-security': null }) },
  'security/hsts-off': { change: headers({ 'strict-transport-security': 'max-age=0' }) },
  'security/nosniff-missing': { change: headers({ 'x-content-type-options': null }) },
  'security/framing-allowed': {
    change: both(
      add('<form method="post"><button>Go</button></form>'),
      headers({ 'content-security-policy': "default-src 'self'" }),
    ),
  },
  'security/frame-options-invalid': {
    change: headers({ 'x-frame-options': 'ALLOW-FROM https://a.example' }),
  },
  'security/csp-missing': {
    change: both(
      add('<form method="post"><button>Go</button></form>'),
      headers({ 'x-frame-options': 'DENY' }),
    ),
  },
  'security/referrer-unsafe': { change: headers({ 'referrer-policy': 'unsafe-url' }) },
}

const long = `<p>${words(150)}</p>`.repeat(2)
const headed = ['North', 'South', 'East', 'West']
  .map((name, n) => `<h2>${name}</h2><p>Part ${n}: ${words(190)}</p>`)
  .join('')

export const enginesPairs: Record<string, Pair> = {
  'aeo/no-question-headings': {
    change: both(swap(['What does the moon do?', 'The moon and the sea']), add(headed)),
  },
  'aeo/question-unanswered': { change: add('<h2>And what of the sun?</h2><h2>Winds</h2><p>They blow.</p>') },
  'aeo/no-lists-or-tables': {
    change: body(`<h2 id="moon">What of the moon?</h2>${long}<div>${words(600)}</div>`),
  },
  'aeo/author-missing': {
    change: swap([',"author":{"@type":"Person","name":"Ada Byron"}', '']),
    also: ['schema/article'],
  },
  'aeo/date-missing': {
    change: swap(['"datePublished":"2026-01-02T08:00:00+01:00","dateModified":"2026-02-03",', '']),
    also: ['schema/article'],
  },
  'aeo/date-future': { change: swap(['2026-02-03', '2027-02-03']) },
  'aeo/dates-reversed': { change: swap(['2026-02-03', '2025-02-03']) },
  'aeo/ai-bots-disallowed': { change: site({ aiBots: { 'OAI-SearchBot': 'disallowed' } }) },
  'aeo/ai-use-reserved': { change: headers({ 'content-signal': 'search=yes, ai-train=no' }) },
  'aeo/llms-txt-missing': {
    change: both(at('https://harbour.example/'), site({ llms: { status: 404, text: null } })),
  },
  'aeo/llms-txt-malformed': {
    change: both(at('https://harbour.example/'), site({ llms: { status: 200, text: 'Harbour' } })),
  },
}
