/** The site that stands for example.com in the examples of the documents. */
const page = (title: string, text: string, head = '') =>
  `<!doctype html><html lang="en"><head><title>${title}</title>${head}</head><body><nav><a href="/">Home</a> <a href="/a">Tides</a> <a href="/b">Moon</a></nav><main><h1>${title}</h1><p>${text}</p></main></body></html>`

const clock = JSON.stringify({
  '@context': 'https://schema.org',
  '@type': 'Product',
  name: 'Tide clock',
  offers: { '@type': 'Offer', price: '1299', priceCurrency: 'EUR' },
})

/** The site that stands for sqlite.org. Its pages link to each other and to nothing else. */
export const manualPages = Object.fromEntries(
  [
    'docs',
    'lang',
    'lang_select',
    'lang_insert',
    'pragma',
    'datatype3',
    'fts5',
    'json1',
    'wal',
    'fileformat2',
  ].map((name, n, names) => [
    `/${name}.html`,
    `<!doctype html><title>${name}</title><nav><a href="/docs.html">Documentation</a></nav><main><h1>About ${name}</h1><p>${`Chapter ${n} explains ${name} with its rules and its limits. `.repeat(6)}</p><ul>${names.map(to => `<li><a href="/${to}.html">${to}</a></li>`).join('')}</ul></main>`,
  ]),
)

/** Returns the pages of the site at an address. */
export const pagesAt = (address: string) => ({
  '/': page(
    'Example',
    'High water comes twice a day. <a href="/prices">Prices</a> <a href="/pricing">Pricing</a> <a href="/drafts/new">Draft</a> <a href="/clock">Clock</a>',
  ),
  '/a': page('Tides', 'The moon pulls the sea, and the sea follows half a day later. '.repeat(8)),
  '/b': page('Moon', 'The moon circles the earth in four weeks, and turns its face to it. '.repeat(8)),
  '/prices': page('Prices', 'A clock for the tides costs 1,299 euros.'),
  '/clock': page('Clock', 'It shows high water.', `<script type="application/ld+json">${clock}</script>`),
  '/pricing': page('Pricing', 'Clocks for the tides cost more than other clocks.'),
  '/search': page(
    'Search',
    '<form action="/search"><input name="q"></form><span id="results">High water</span>',
  ),
  '/tidemark': 'received',
  '/sitemap.xml': {
    headers: { 'content-type': 'application/xml' },
    body: `<urlset><url><loc>${address}/pricing</loc><lastmod>2026-01-02</lastmod></url></urlset>`,
  },
  '/robots.txt': { headers: { 'content-type': 'text/plain' }, body: 'User-agent: *\nDisallow: /drafts/\n' },
})
