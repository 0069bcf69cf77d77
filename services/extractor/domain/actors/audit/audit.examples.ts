/** A page that violates no rule. audit-pairs.scene.ts has the changes that violate a rule. */
import type { AuditContext } from './context.ts'

export type Example = {
  url: string
  status: number
  contentType: string | null
  headers: Record<string, string>
  html: string
  /** Encoding of the text as sent. */
  encoding: 'utf8' | 'latin1'
  context: AuditContext
}

const address = 'https://harbour.example/tides/why-twice'
const sentence = 'High water comes twice a day to most shores, and low water comes in between as well. '

const article = {
  '@context': 'https://schema.org',
  '@type': 'Article',
  headline: 'Why high water comes twice a day',
  image: 'https://harbour.example/tide.png',
  datePublished: '2026-01-02T08:00:00+01:00',
  dateModified: '2026-02-03',
  author: { '@type': 'Person', name: 'Ada Byron' },
}

const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Why high water comes twice a day at most shores</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="The moon pulls the sea up on both sides of the earth, and the earth turns beneath: what that means for those who live at a shore.">
<link rel="canonical" href="${address}">
<link rel="alternate" hreflang="en" href="${address}">
<link rel="alternate" hreflang="de" href="https://harbour.example/de/warum">
<link rel="alternate" hreflang="x-default" href="${address}">
<meta property="og:title" content="Why high water comes twice a day">
<meta property="og:type" content="article">
<meta property="og:image" content="https://harbour.example/tide.png">
<meta property="og:url" content="${address}">
<meta name="twitter:card" content="summary">
<meta name="robots" content="index, follow, max-image-preview:large">
<link rel="stylesheet" href="/style.css">
<script defer src="/count.js"></script>
<script type="application/ld+json">${JSON.stringify(article)}</script>
</head>
<body>
<nav><ul><li><a href="/tides">All about tides</a></li><li><a href="#moon">The moon</a></li></ul></nav>
<main id="main">
<h1>Why high water comes twice a day</h1>
<p>${sentence.repeat(8)}</p>
<h2 id="moon">What does the moon do?</h2>
<p>${sentence.repeat(8)}</p>
<ul><li>It pulls the sea.</li><li>It moves on.</li></ul>
<h3>Heights</h3>
<table><tr><th>Place</th><th>Low</th><th>High</th></tr><tr><td>North</td><td>1 m</td><td>4 m</td></tr><tr><td>South</td><td>2 m</td><td>5 m</td></tr></table>
<p><img src="/tide.png" alt="The sea at both tides" width="300" height="200"> <a href="https://moon.example/phases">Phases of the moon</a></p>
<form action="/search"><label for="q">Find a place</label> <input id="q" name="q"> <button>Find</button></form>
</main>
</body>
</html>
`

export const clean: Example = {
  url: address,
  status: 200,
  contentType: 'text/html; charset=utf-8',
  headers: {
    'content-encoding': 'br',
    etag: '"1"',
    'strict-transport-security': 'max-age=31536000',
    'x-content-type-options': 'nosniff',
  },
  html,
  encoding: 'utf8',
  context: {
    hops: [],
    elapsedMs: 80,
    fetchedAt: '2026-11-22T10:00:00.000Z',
    knowsDelivery: true,
    site: {
      robotsStatus: 200,
      googlebot: { allowed: true, rule: null },
      llms: { status: 200, text: '# Harbour\n' },
      aiBots: { 'OAI-SearchBot': 'allowed', GPTBot: 'disallowed' },
    },
  },
}
