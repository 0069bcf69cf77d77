/** Crawl requests with one wrong field, and the expected error of each. */

import { badHeaders } from './crawls/headers.examples.ts'
import { badLimits } from './crawls/limits.examples.ts'
import { badLogins } from './crawls/login.examples.ts'
import { seed } from './gateway.scene.ts'

/** Returns requests with fields beyond their limits, of the wrong type, or in conflict with others. */
export function badFields(): [body: unknown, field: string, reason: string, message?: string][] {
  const cases: [more: object, field: string, reason: string, message?: string][] = [
    ...badHeaders(),
    ...badProxies(),
    ...badPatterns(),
    ...badLists(),
    ...badRules(),
    ...badLogins(),
    ...badLimits,
    [
      { seed_kind: 'feed' },
      'seed_kind',
      'bad_value',
      'seed_kind must be one of url, sitemap; "feed" was sent.',
    ],
    [{ seed_kind: 1 }, 'seed_kind', 'wrong_type'],
    [{ webhook_events: 'crawl.done' }, 'webhook_events', 'wrong_type'],
    [
      { webhook_events: ['crawl.done', 'crawl.begun'] },
      'webhook_events[1]',
      'bad_value',
      'webhook_events[1] must be one of crawl.done, crawl.diff_detected, crawl.started, page.fetched, crawl.failed; "crawl.begun" was sent.',
    ],
    [{ webhook_events: Array(101).fill('crawl.done') }, 'webhook_events', 'out_of_range'],
    [{ webhook_events: [null] }, 'webhook_events[0]', 'wrong_type'],
    [{ webhook_url: 'http://10.0.0.1/' }, 'webhook_url', 'private_address'],
    [{ return_only_changed: 1 }, 'return_only_changed', 'wrong_type'],
    [{ render: 'yes' }, 'render', 'bad_value', 'render must be one of none, auto, always; "yes" was sent.'],
    [{ render: true }, 'render', 'wrong_type'],
    [{ screenshots: 'yes', render: 'always' }, 'screenshots', 'wrong_type'],
    [{ screenshots: true }, 'screenshots', 'conflicting_fields'],
    [
      { render: 'auto', proxy_url: 'http://proxy.example:8080' },
      'render',
      'conflicting_fields',
      'render cannot be combined with proxy_url: browsers use no proxy. Leave one of them out.',
    ],
    [{ trap_guards: 'no' }, 'trap_guards', 'wrong_type'],
    [{ conditional: null }, 'conditional', 'wrong_type'],
    [{ aggressive: 'yes' }, 'aggressive', 'wrong_type'],
    [
      { aggressive: true },
      'aggressive',
      'tier_required',
      'aggressive needs the agency tier or above; this project has pro. Leave it out, or change the tier.',
    ],
    [{ aggressive: true, cron: '0 6 * * *' }, 'aggressive', 'tier_required'],
  ]
  return cases.map(([more, ...rest]) => [{ url: seed, ...more }, ...rest])
}

function badLists(): [more: object, field: string, reason: string, message?: string][] {
  return [
    [{ urls: seed }, 'urls', 'wrong_type'],
    [{ urls: [7] }, 'urls[0]', 'wrong_type'],
    [{ urls: Array(10_001).fill(seed) }, 'urls', 'too_many_urls'],
    [
      { urls: [seed, '/a'] },
      'urls[1]',
      'bad_url',
      'urls[1] must be an absolute http:// or https:// URL; "/a" was sent. Correct it or leave it out.',
    ],
    [
      { urls: [seed, 'https://b.example/'] },
      'urls[1]',
      'conflicting_fields',
      `urls[1] is not at ${new URL(seed).host}, the host of url; "https://b.example/" was sent. Leave it out, set subdomains if it is a subdomain, or crawl it separately.`,
    ],
    [
      { urls: [seed], seed_kind: 'sitemap' },
      'urls',
      'conflicting_fields',
      'urls cannot be combined with seed_kind sitemap. Leave one of them out, or list the URLs of the sitemap.',
    ],
    [{ follow_links: 'no' }, 'follow_links', 'wrong_type'],
  ]
}

function badRules(): [more: object, field: string, reason: string, message?: string][] {
  return [
    [{ ignore_selectors: ['.ad', 'div[['] }, 'ignore_selectors[1]', 'bad_value'],
    [{ ignore_selectors: [`${':not('.repeat(17)}a${')'.repeat(17)}`] }, 'ignore_selectors[0]', 'bad_value'],
    [{ only_selectors: ['main:nope'] }, 'only_selectors[0]', 'bad_value'],
    [{ only_selectors: [''] }, 'only_selectors[0]', 'bad_value'],
    [{ only_selectors: ['a'.repeat(501)] }, 'only_selectors[0]', 'bad_value'],
    [{ ignore_selectors: '.ad' }, 'ignore_selectors', 'wrong_type'],
    [{ ignore_selectors: Array(21).fill('.ad') }, 'ignore_selectors', 'out_of_range'],
    [
      { only_selectors: Array(5).fill('a'.repeat(500)), ignore_text: Array(5).fill('b'.repeat(500)) },
      'only_selectors',
      'out_of_range',
      'ignore_selectors, only_selectors and ignore_text together may have 4000 characters; 5000 were sent. Use fewer or shorter ones.',
    ],
    [{ ignore_text: ['a', '(b'] }, 'ignore_text[1]', 'bad_regex'],
    [{ ignore_text: ['(?=b)'] }, 'ignore_text[0]', 'bad_regex'],
    [{ ignore_text: ['(a{50}){60}'] }, 'ignore_text[0]', 'bad_regex'],
    [{ include_paths: ['[^/]{0,700}'], ignore_text: ['[^/]{0,700}'] }, 'ignore_text[0]', 'bad_regex'],
    [{ min_changed_words: -1 }, 'min_changed_words', 'out_of_range'],
    [{ min_changed_words: 0 }, 'min_changed_words', 'out_of_range'],
    [{ min_changed_words: 1.5 }, 'min_changed_words', 'wrong_type'],
    [{ min_changed_words: 2, store_html: false }, 'min_changed_words', 'conflicting_fields'],
    [{ intent: ' ' }, 'intent', 'bad_value'],
    [{ intent: 'x'.repeat(1_001) }, 'intent', 'bad_value'],
    [{ only_matching: true }, 'only_matching', 'conflicting_fields'],
    [{ timezone: 7, cron: '0 6 * * *' }, 'timezone', 'wrong_type'],
  ]
}

const badProxyUrls = [
  '',
  'proxy.example:8080',
  'ftp://a.example/',
  'socks5h://a.example',
  'http://',
  'http://:8080',
  'http://a.example/path',
  'http://a.example?x',
  'http://a.example#x',
  'http://a b:1/',
  ' http://a.example',
  'http://a.example\n',
  'http://a.example:0',
  'http://a.example:65536',
  'http://a.example:x',
  'http://a.example:22',
  'http://a.example:6379',
  'http://%zz@a.example',
  `socks5://${'u'.repeat(256)}:p@a.example`,
  'http://a.example\\@b.example',
  '\ud800',
  'javascript:alert(1)',
]

const hiddenHosts = [
  '10.0.0.1',
  '127.0.0.2:3128',
  '2130706434',
  '0x7f.2',
  '[::1]',
  '[::ffff:10.0.0.1]',
  '169.254.169.254',
  '0.0.0.0',
  'localhost',
  '192.168.1.1',
  '100.64.0.1',
]

function badProxies(): [more: object, field: string, reason: string, message?: string][] {
  const anywhere = ['http', 'https', 'socks5', 'SOCKS5'].flatMap(scheme =>
    hiddenHosts.filter(host => host !== 'localhost').map(host => `${scheme}://user:word@${host}`),
  )
  return [
    [{ proxy_url: 7 }, 'proxy_url', 'wrong_type'],
    [
      { proxy_url: `http://${'a'.repeat(8200)}` },
      'proxy_url',
      'bad_value',
      'proxy_url must have at most 8192 characters.',
    ],
    [
      { proxy_url: 'socks4://a.example' },
      'proxy_url',
      'bad_url',
      'The proxy cannot be used: it must begin with http://, https:// or socks5://',
    ],
    ...badProxyUrls.map(proxy_url => [{ proxy_url }, 'proxy_url', 'bad_url'] as [object, string, string]),
    ...anywhere.map(proxy_url => [{ proxy_url }, 'proxy_url', 'private_address'] as [object, string, string]),
    [
      { proxy_pool: 'fast' },
      'proxy_pool',
      'bad_value',
      'proxy_pool must be one of datacenter, isp, residential, mobile; "fast" was sent.',
    ],
    [
      { proxy_pool: 'isp', proxy_country: 'FR' },
      'proxy_country',
      'bad_value',
      'This installation has no proxies of FR in the pool isp; it has isp (DE, US), residential.',
    ],
    [{ proxy_pool: 'residential', proxy_country: 'DE' }, 'proxy_country', 'bad_value'],
    [{ proxy_country: 'DE' }, 'proxy_country', 'conflicting_fields'],
    [{ proxy_country: 'DE', proxy_url: 'http://192.0.2.1' }, 'proxy_country', 'conflicting_fields'],
    ...['', 'D', '12', 'D1', 'ß'].map(
      proxy_country =>
        [{ proxy_pool: 'isp', proxy_country }, 'proxy_country', 'bad_value'] as [object, string, string],
    ),
    [{ proxy_pool: 'isp', proxy_country: 'DEU' }, 'proxy_country', 'bad_value'],
    [{ proxy_pool: 'isp', proxy_country: 49 }, 'proxy_country', 'wrong_type'],
  ]
}

function badPatterns(): [more: object, field: string, reason: string, message?: string][] {
  const fields = ['include_paths', 'exclude_paths']
  return fields.flatMap((field): [more: object, field: string, reason: string, message?: string][] => [
    [{ [field]: '/blog' }, field, 'wrong_type'],
    [{ [field]: ['a', 7] }, `${field}[1]`, 'wrong_type', `${field}[1] must be a string; 7 was sent.`],
    [
      { [field]: Array.from({ length: 1001 }, (_, n) => `/${n}`) },
      field,
      'out_of_range',
      `${field} must have at most 1000 entries; 1001 were sent.`,
    ],
    [{ [field]: Array(200_000).fill('') }, field, 'out_of_range'],
    [{ [field]: Array(500_000).fill(0) }, field, 'out_of_range'],
    [{ [field]: Array(101).fill('x'.repeat(2000)) }, field, 'out_of_range'],
    [{ [field]: ['x'.repeat(2001)] }, `${field}[0]`, 'bad_regex'],
    [{ [field]: ['a', 'b', 'c', '(?=x)'] }, `${field}[3]`, 'bad_regex'],
    [{ [field]: ['(a)\\1'] }, `${field}[0]`, 'bad_regex'],
    [{ [field]: ['a', '('] }, `${field}[1]`, 'bad_regex'],
    [{ [field]: ['(?:a{1000}){1000}'] }, `${field}[0]`, 'bad_regex'],
    [{ [field]: ['\\C'] }, `${field}[0]`, 'bad_regex'],
  ])
}
