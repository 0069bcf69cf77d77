/**
 * Generates the sample site from `sample-site/handbook.txt`: a handbook of tides for a fictional harbour. It has about
 * forty pages with navigation, metadata and structured data, a tide table per month, a dead link, two redirected links,
 * and a page that robots.txt forbids.
 */
import fs from 'node:fs/promises'
import { tideTable } from './sample-tides.ts'

type Article = { slug: string; title: string; paragraphs: string[] }
type Section = { slug: string; title: string; lead: string; articles: Article[] }
type Page = { path: string; title: string; lead: string; body: string }

const months = 'January February March April May June July August September October November December'.split(
  ' ',
)

/** Returns the texts of the site by path. `/404` is its response for any other path. */
export async function samplePages(origin: string): Promise<Map<string, string>> {
  const read = (name: string) => fs.readFile(new URL(name, import.meta.url), 'utf8')
  const sections = parseHandbook(await read('handbook.txt'))
  const pages = [front(sections), ...sections.flatMap(sectionPages), ...almanac(), about, chartRoom]
  const site = new Map(pages.map(page => [page.path, render(page, sections, origin)]))
  site.set('/404', render(notFound, sections, origin))
  site.set('/style.css', await read('style.css'))
  site.set(
    '/robots.txt',
    `User-agent: *\nDisallow: ${chartRoom.path}\n\nUser-agent: GPTBot\nDisallow: /\n\nSitemap: ${origin}/sitemap.xml\n`,
  )
  site.set('/sitemap.xml', sitemap(pages.filter(page => page !== chartRoom).map(({ path }) => origin + path)))
  return site
}

/**
 * Parses the handbook. `== slug | title | lead` begins a section, `= slug | title` an article; every other line is a
 * paragraph.
 */
function parseHandbook(text: string): Section[] {
  const sections: Section[] = []
  for (const line of text.split('\n').filter(line => line !== '')) {
    const [slug = '', title = '', lead = ''] = line.replace(/^=+ /, '').split(' | ')
    if (line.startsWith('== ')) sections.push({ slug, title, lead, articles: [] })
    else if (line.startsWith('= ')) sections.at(-1)?.articles.push({ slug, title, paragraphs: [] })
    else sections.at(-1)?.articles.at(-1)?.paragraphs.push(line)
  }
  return sections
}

function front(sections: Section[]): Page {
  const cards = sections.map(
    ({ slug, title, lead }) => `<h2><a href="/${slug}/">${title}</a></h2>\n<p>${lead}</p>`,
  )
  return {
    path: '/',
    title: 'The Skerrin Tide Handbook',
    lead: 'Everything a visiting boat, a walker or a child with a bucket needs to know.',
    body: `${cards.join('\n')}\n<h2><a href="/almanac/">The Almanac</a></h2>\n<p>High and low water for every day of the year.</p>
<p>Looking for <a href="/tide-table">today's tide table</a>, the <a href="/harbor/">harbor</a> in the other spelling, or the
<a href="/news/regatta-results/">results of the regatta</a>? The <a href="/chart-house/">chart house</a> is for members.</p>`,
  }
}

function sectionPages({ slug, title, lead, articles }: Section): Page[] {
  const items = articles.map(article => `<li><a href="/${slug}/${article.slug}/">${article.title}</a></li>`)
  const pages = articles.map((article, index) => {
    const next = articles[(index + 1) % articles.length]
    const onward =
      next === undefined ? '' : `<p>Next: <a href="/${slug}/${next.slug}/" rel="next">${next.title}</a></p>`
    return {
      path: `/${slug}/${article.slug}/`,
      title: article.title,
      lead: firstSentence(article.paragraphs[0] ?? ''),
      body: `<article>\n${article.paragraphs.map(text => `<p>${inline(text)}</p>`).join('\n')}\n</article>\n${onward}`,
    }
  })
  return [{ path: `/${slug}/`, title, lead, body: `<ul>\n${items.join('\n')}\n</ul>` }, ...pages]
}

function almanac(): Page[] {
  const pathOf = (month: string) => `/almanac/${month.toLowerCase()}/`
  const items = months.map(month => `<li><a href="${pathOf(month)}">${month}</a></li>`)
  const lead = 'High and low water at the breakwater, in UTC and metres above chart datum.'
  const tables = months.map((month, index) => ({
    path: pathOf(month),
    title: `Tides in ${month}`,
    lead,
    body: tideTable(index),
  }))
  return [
    { path: '/almanac/', title: 'The Almanac', lead, body: `<ol>\n${items.join('\n')}\n</ol>` },
    ...tables,
  ]
}

const about: Page = {
  path: '/about/',
  title: 'About this handbook',
  lead: 'Skerrin is not on any chart.',
  body: `<p>This site comes with Tidemark, to have something to crawl that belongs to nobody else. The places, people and
tides in it are made up; the rule of twelfths is real. <a href="https://example.org/" rel="nofollow">An outside link</a>.</p>`,
}

const chartRoom: Page = {
  path: '/chart-house/',
  title: 'The chart house',
  lead: 'Members only.',
  body: '<p>If a crawler reads this, it did not read robots.txt.</p>',
}

const notFound: Page = {
  path: '/404',
  title: 'Not here',
  lead: 'Lost at sea.',
  body: '<p>Try the <a href="/">front page</a>.</p>',
}

function render({ path, title, lead, body }: Page, sections: Section[], origin: string): string {
  const links = [
    ...sections.map(({ slug, title }) => [`/${slug}/`, title]),
    ['/almanac/', 'The Almanac'],
    ['/about/', 'About'],
  ]
  const facts = {
    '@context': 'https://schema.org',
    '@type': 'Article',
    headline: title,
    inLanguage: 'en',
    url: origin + path,
  }
  const plainLead = lead.replace(/"/g, '&quot;')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title} · Skerrin</title>
<meta name="description" content="${plainLead}">
<meta property="og:title" content="${title}">
<meta property="og:type" content="article">
<link rel="canonical" href="${origin}${path}">
<link rel="stylesheet" href="/style.css">
<script type="application/ld+json">${JSON.stringify(facts)}</script>
</head>
<body>
<header><a href="/">The Skerrin Tide Handbook</a>
<nav>${links.map(([href, text]) => `<a href="${href}">${text}</a>`).join(' ')}</nav></header>
<main>
<h1>${title}</h1>
${body.startsWith('<article>') ? '' : `<p class="lead">${lead}</p>\n`}${body}
</main>
<footer>Not for navigation. <a href="/about/">About this handbook</a></footer>
</body>
</html>
`
}

const inline = (text: string) =>
  text.replace(/\[([^\]]+)\]\(([^)]+)\)/g, '<a href="$2">$1</a>').replace(/\*([^*]+)\*/g, '<em>$1</em>')

const firstSentence = (text: string) =>
  text
    .replace(/\[([^\]]+)\]\([^)]+\)/g, '$1')
    .replace(/\*/g, '')
    .split(/(?<=\.) /)[0] ?? ''

const sitemap = (urls: string[]) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${urls
    .map(url => `<url><loc>${url}</loc></url>`)
    .join('\n')}\n</urlset>\n`
