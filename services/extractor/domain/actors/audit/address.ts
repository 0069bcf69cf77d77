/** Rules for the page's URL. */
import { type Rule, when } from './rule.ts'
import { google } from './sources.ts'

const structure = google('URL structure', 'crawling-indexing/url-structure')
const longest = 2048
const maxParameters = 5
const sessions = /^(?:jsessionid|phpsessid|aspsessionid\w*|sid|session_?id|sessid|cfid|cftoken)$/i

export const addressRules: readonly Rule[] = [
  {
    id: 'url/underscores',
    on: 'indexed',
    severity: 'info',
    finds: 'Words in the path separated by underscores',
    reason: 'Search engines split words at hyphens.',
    source: structure,
    find: ({ url }) =>
      when(
        /[a-z]_[a-z]/i.test(url.pathname),
        () =>
          'The path separates words with underscores. Use hyphens in new URLs; keep existing URLs unchanged.',
      ),
  },
  {
    id: 'url/session-id',
    on: 'indexed',
    severity: 'warning',
    finds: 'A session id in the URL, such as jsessionid or PHPSESSID',
    reason: 'Each visit creates new URLs for the same pages.',
    source: structure,
    find: ({ url }) =>
      when(
        /;jsessionid=/i.test(url.pathname) || [...url.searchParams.keys()].some(name => sessions.test(name)),
        () => 'The URL contains a session id. Store it in a cookie.',
      ),
  },
  {
    id: 'url/spaces',
    on: 'indexed',
    severity: 'warning',
    finds: 'White space in the path (%20)',
    reason: 'Links with spaces break when they are shared as text.',
    source: structure,
    find: ({ url }) => when(/%20/.test(url.pathname), () => 'The path contains spaces. Use hyphens.'),
  },
  {
    id: 'url/double-slash',
    on: 'indexed',
    severity: 'info',
    finds: 'Two consecutive slashes in the path',
    reason: 'The URL differs from the one with a single slash, but usually serves the same page.',
    source: structure,
    find: ({ url }) =>
      when(
        url.pathname.includes('//'),
        () => 'The path contains two consecutive slashes. Link to the URL with one slash.',
      ),
  },
  {
    id: 'url/many-parameters',
    on: 'indexed',
    severity: 'info',
    finds: `More than ${maxParameters} query parameters`,
    reason: 'Many parameters in varying order create many URLs for one page.',
    source: structure,
    find: ({ url }) =>
      when(
        url.searchParams.size > maxParameters,
        () => `The URL has ${url.searchParams.size} parameters. Remove those that do not change the page.`,
      ),
  },
  {
    id: 'url/too-long',
    on: 'indexed',
    severity: 'warning',
    finds: `A URL of more than ${longest} characters`,
    reason: 'Sitemaps do not allow it, and some programs truncate it.',
    source: { name: 'Sitemaps protocol', url: 'https://www.sitemaps.org/protocol.html' },
    find: ({ url }) =>
      when(url.href.length > longest, () => `The URL has ${url.href.length} characters. Shorten it.`),
  },
]
