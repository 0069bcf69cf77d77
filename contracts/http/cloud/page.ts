/** Shared schemas of the cloud endpoints: fetched pages, backends and costs. */

import { type Static, Type } from 'typebox'
import { amountText } from '../../prices.ts'
import { described, mustBe, oneOf, orNull } from '../../primitives.ts'
import { BackendName } from '../../rpc/backends.ts'
import { ProxyPool } from '../../run-settings.ts'
import { warnings } from '../lists.ts'

export const Url = Type.String({
  minLength: 1,
  maxLength: 8192,
  description: 'A public URL; http:// or https://.',
  examples: ['https://example.com/'],
})

const formats = ['markdown', 'raw', 'text', 'commonmark', 'png'] as const
export type ReturnFormat = (typeof formats)[number]

/** Returns the schema of the formats of an endpoint. The first one is the default. */
export const returnFormatOf = <Format extends ReturnFormat>(...choices: [Format, ...Format[]]) =>
  Type.Unsafe<Format>(
    Type.Union(
      choices.map(choice => Type.Literal(choice)),
      {
        default: choices[0],
        description: `The format of \`content\`. ${choices.map(choice => `${choice}: ${ofFormat[choice]}`).join('; ')}.`,
      },
    ),
  )

const ofFormat: Record<ReturnFormat, string> = {
  markdown: 'with tables',
  raw: 'the document unchanged',
  text: 'as a reader sees it',
  commonmark: 'without any extension',
  png: 'a screenshot of the page, of at most its first 20,000 pixels in height, base64-encoded',
}

export const chrome = Type.Boolean({
  default: false,
  description: 'Run the scripts of the page in a browser, and read the result.',
})

export const Pool = described(ProxyPool, 'The kind of proxies to use.')

/** ISO 3166-1 alpha-2. */
export const Country = Type.String({
  pattern: '^[A-Za-z]{2}$',
  description: 'An ISO 3166-1 alpha-2 code: the country of the proxy.',
  examples: ['DE'],
  ...mustBe('an ISO 3166-1 alpha-2 code of two letters, such as DE'),
})

export const CloudTry = Type.Object(
  {
    backend: described(BackendName, 'The backend.'),
    pool: Type.Optional(described(ProxyPool, 'Kind of the proxy.')),
    outcome: oneOf(['got', 'blocked', 'failed', 'not_configured'], {
      description: 'Outcome; blocked: the site returned a challenge for bots.',
    }),
    reason: orNull(
      Type.String({
        description:
          'Reason for the failure as a stable code, or the vendor of the challenge; null: success.',
      }),
    ),
    elapsed_ms: Type.Number({ description: 'Duration in milliseconds.' }),
    cost_usd: Type.Number({
      description:
        'Cost of the attempt in US dollars. The costs of all attempts add up to `cost_usd` of the response.',
    }),
  },
  { $id: 'CloudTry' },
)
export type CloudTry = Static<typeof CloudTry>

const status = Type.Integer({ description: 'HTTP status of the target.' })
const blocked = Type.Boolean({
  description: `Whether the site returned a challenge to every backend, which costs ${amountText('cloud_scrape', 'blocked')}.`,
})

/** Shared fields of every response. */
export const spent = {
  cost_usd: Type.Number({
    description: 'Cost in US dollars, beside cloud pages; 0: a backend of this installation.',
  }),
  elapsed_ms: Type.Number({ description: 'Milliseconds from the request to this response.' }),
  warnings,
}

/** How one page was fetched. */
export const ofPage = {
  status,
  url: Type.String({ description: 'URL of the page, after all redirects.' }),
  backend: described(BackendName, 'The backend that fetched the page.'),
  tried: Type.Array(CloudTry, { description: 'Every backend that was tried, in order.' }),
  blocked,
  bytes_transferred: Type.Optional(
    Type.Integer({
      minimum: 0,
      description: 'Bytes transferred in both directions by the attempt that counts; absent: not measured.',
    }),
  ),
}

export const CloudPage = Type.Object(
  {
    content: Type.String({ description: 'The page in the requested format.' }),
    ...ofPage,
    pool: Type.Optional(described(ProxyPool, 'Kind of the proxy that fetched the page; absent: no proxy.')),
    country: Type.Optional(Type.String({ description: 'Country of that proxy; absent: it has none.' })),
    ...spent,
  },
  { $id: 'CloudPage' },
)
export type CloudPage = Static<typeof CloudPage>
