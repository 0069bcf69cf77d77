/** Rules of the address: what makes one hard to read, to keep apart or to share. */
import { type Rule, when } from './rule.ts'
import { google } from './sources.ts'

const structure = google('URL structure', 'crawling-indexing/url-structure')
const longest = 2048
const mostParameters = 5
const sessions = /^(?:jsessionid|phpsessid|aspsessionid\w*|sid|session_?id|sessid|cfid|cftoken)$/i

export const addressRules: readonly Rule[] = [
  {
    id: 'url/underscores',
    on: 'indexed',
    severity: 'info',
    finds: 'Words of the path joined by underscores',
    reason: 'Search engines part words at hyphens.',
    source: structure,
    find: ({ url }) =>
      when(
        /[a-z]_[a-z]/i.test(url.pathname),
        () =>
          'The path joins words by underscores. For new addresses prefer hyphens; leave those that are known as they are.',
      ),
  },
  {
    id: 'url/session-id',
    on: 'indexed',
    severity: 'warning',
    finds: 'A session in the address, such as jsessionid or PHPSESSID',
    reason: 'Each visit makes other addresses of the same pages.',
    source: structure,
    find: ({ url }) =>
      when(
        /;jsessionid=/i.test(url.pathname) || [...url.searchParams.keys()].some(name => sessions.test(name)),
        () => 'The address holds a session. Keep it in a cookie.',
      ),
  },
  {
    id: 'url/spaces',
    on: 'indexed',
    severity: 'warning',
    finds: 'White space in the path (%20)',
    reason: 'Such addresses break where they are shared as text.',
    source: structure,
    find: ({ url }) => when(/%20/.test(url.pathname), () => 'The path holds spaces. Use hyphens.'),
  },
  {
    id: 'url/double-slash',
    on: 'indexed',
    severity: 'info',
    finds: 'Two slashes in a row in the path',
    reason: 'It is another address than the one with one slash, mostly with the same page.',
    source: structure,
    find: ({ url }) =>
      when(url.pathname.includes('//'), () => 'The path has two slashes in a row. Link to it with one.'),
  },
  {
    id: 'url/many-parameters',
    on: 'indexed',
    severity: 'info',
    finds: `More than ${mostParameters} parameters in the query`,
    reason: 'Many parameters in many orders are many addresses of one page.',
    source: structure,
    find: ({ url }) =>
      when(
        url.searchParams.size > mostParameters,
        () =>
          `The address has ${url.searchParams.size} parameters. Leave out those that do not change the page.`,
      ),
  },
  {
    id: 'url/too-long',
    on: 'indexed',
    severity: 'warning',
    finds: `An address of more than ${longest} characters`,
    reason: 'Sitemaps may not hold it, and some programs cut it.',
    source: { name: 'Sitemaps protocol', url: 'https://www.sitemaps.org/protocol.html' },
    find: ({ url }) =>
      when(url.href.length > longest, () => `The address has ${url.href.length} characters. Shorten it.`),
  },
]
