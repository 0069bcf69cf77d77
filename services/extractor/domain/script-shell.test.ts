/** Pages without text before their scripts have run, and pages that only resemble them. */
import { test } from 'tap'
import { makeContent } from '../handlers/make-content.ts'
import { isScriptShell } from './script-shell.ts'

const isShell = async (html: string) => {
  const wanted = { html: false, markdown: null, article: false, signals: true, anchors: false }
  const body = Buffer.from(html)
  const request = {
    url: 'https://app.test/',
    status: 200,
    contentType: 'text/html',
    headers: {},
    body,
    wanted,
  }
  const { content, isShell } = await makeContent(request)
  const words = content.signals?.word_count ?? null
  if (isShell !== isScriptShell({ body, words })) throw new Error('the thread and the rule disagree')
  return isShell
}

const send = '<noscript>You need to enable JavaScript to run this app.</noscript>'
const bundle = '<script type="module" crossorigin src="/assets/index-4f1c.js"></script>'

test('A shell is', async t => {
  const shells: Record<string, string> = {
    'a React application': `<!doctype html><html lang="en"><head><meta charset="utf-8"/><title>React App</title><script defer="defer" src="/static/js/main.1.js"></script></head><body>${send}<div id="root"></div></body></html>`,
    'a Vite application': `<!doctype html><title>Vite</title>${bundle}<body><div id="app"></div>`,
    'a Vue application with a note': `<title>v</title><body><noscript><strong>We're sorry but shop doesn't work properly without JavaScript enabled. Please enable it to continue.</strong></noscript><div id=app></div><!-- built files will be auto injected --><script src=/js/app.js></script>`,
    'an Angular application': `<!doctype html><html><head><base href="/"></head><body class="mat-typography"><app-root></app-root><script src="runtime.js" type="module"></script></body></html>`,
    'an Angular application that loads': `<body><app-root><div class="loader"><span>Loading…</span></div></app-root><script src="main.js"></script>`,
    'a Next application without a server': `<body><div id="__next"></div><script id="__NEXT_DATA__" type="application/json">{"props":{"pageProps":{}},"page":"/"}</script><script src="/_next/static/chunks/main.js"></script>`,
    'a Nuxt application without a server': `<body><div id="__nuxt"></div><script>window.__NUXT__={}</script><script type="module" src="/_nuxt/entry.js"></script>`,
    'a Gatsby application that was not built': `<body><div id="___gatsby"> </div><script src="/app.js"></script>`,
    'a Svelte application': `<body><div style="display: contents" id="svelte"></div><script type="module">import "/_app/start.js"</script>`,
    'an Ember application': `<body class="ember"><script src="/assets/vendor.js"></script><script src="/assets/app.js"></script><div id="ember-basic-dropdown-wormhole"></div></body>`,
    'a Flutter application': `<body><script src="flutter_bootstrap.js" async></script></body>`,
    'an Ionic application': `<body><ion-app></ion-app>${bundle}</body>`,
    'one that shows a wheel meanwhile': `<body><div id="app"><style>.s{}</style><div class="spinner"><svg><title>Loading the whole application for you</title></svg></div><p>Loading…</p></div>${bundle}`,
    'one with a word on old browsers': `<body><div id="root"></div><p>Your browser is too old for this application. Please take a newer one.</p>${bundle}`,
    'one that visibly requires JavaScript': `<body><div>JavaScript is required to view this site.</div>${bundle}`,
    'one that requires JavaScript in noscript only': `<body>${send}<div class="mount-here"></div>${bundle}`,
  }
  for (const [what, html] of Object.entries(shells)) t.ok(await isShell(html), what)
})

test('No shell is', async t => {
  const words = 'Words that a person wrote for people to read, on a server. '
  const next =
    '<script id="__NEXT_DATA__" type="application/json">{}</script><script src="/_next/main.js"></script>'
  const pages: Record<string, string> = {
    'a React page from a server': `<body><div id="root"><main><h1>Tides</h1><p>${words.repeat(20)}</p></main></div>${bundle}${send}`,
    'a short React page from a server': `<body><div id="root"><h1>Gone</h1><p>It is no more.</p></div>${bundle}${send}`,
    'a Next page that is missing': `<body><div id="__next"><div><h1>404</h1><h2>This page could not be found.</h2></div></div>${next}`,
    'a Nuxt page from a server': `<body><div id="__nuxt"><div><p>${words.repeat(8)}</p></div></div><script src="/_nuxt/e.js"></script>`,
    'a short page with a root that is filled': `<body><div id="app"><p>${words}</p></div>${bundle}`,
    'a page with a place for a widget': `<body><p>${words.repeat(4)}</p><div id="app"></div><script src="/chat.js"></script>`,
    'a short page': '<title>It works</title><h1>It works!</h1>',
    'a short page that counts its visits': '<p>Back soon.</p><script src="/count.js"></script>',
    'an empty page': '',
    'a page without scripts': '<div id=root></div>',
    'a page with data and no script': '<script type="application/ld+json">{}</script><div id=x></div>',
    'a login': `<body>${send}<form action=/in><input name=user><input name=pass><button>Sign in</button></form>${bundle}`,
    'a list of links': `<body><a href=/a>a</a> <a href=/b>b</a>${bundle}${send}`,
    'a picture': '<body><img src=a.jpg alt=""><script src="/count.js"></script>',
    'a frame': '<body><iframe src="/inner"></iframe><script src="/size.js"></script>',
    frames: '<frameset cols="1,2"><frame src=a><frame src=b></frameset><script src=x.js></script>',
    'a page that sends on': '<meta http-equiv="refresh" content="0;url=/a"><script>location="/a"</script>',
    'an article on the matter': `<body><p>How to enable JavaScript. ${words.repeat(5)}</p>${bundle}`,
  }
  for (const [what, html] of Object.entries(pages)) t.notOk(await isShell(html), what)
  t.notOk(isScriptShell({ body: Buffer.from('<script>'), words: null }), 'another type than HTML')
})

test('The search for a shell is cheap on any page', async t => {
  const pieces = [
    '<script>',
    '<!--',
    '<noscript',
    '<div id=root ',
    '<div id=root>   ',
    '</script',
    '<a ',
    'enable ',
  ]
  for (const piece of pieces) {
    const body = Buffer.from(`<script></script>${piece.repeat(100_000)}`)
    const started = process.cpuUsage()
    isScriptShell({ body, words: 0 })
    t.ok(process.cpuUsage(started).user < 1_000_000, piece)
  }
})
