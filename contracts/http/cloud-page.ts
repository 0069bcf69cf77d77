/** What the cloud endpoints have in common: pages got by whatever means it takes, and what that took. */
import { type Static, Type } from 'typebox'
import { BackendName } from '../ask/means.ts'
import { mustBe, orNull, said } from '../primitives.ts'
import { ProxyPool } from '../run-settings.ts'
import { warnings } from './lists.ts'

export const Url = Type.String({
  minLength: 1,
  maxLength: 8192,
  description: 'http:// or https://, and a public address.',
  examples: ['https://example.com/'],
})

const formats = ['markdown', 'raw', 'text', 'commonmark', 'png'] as const
export type ReturnFormat = (typeof formats)[number]

/** The formats of an endpoint; the first one where nothing is said. */
export const returnFormatOf = <Format extends ReturnFormat>(...choices: [Format, ...Format[]]) =>
  Type.Unsafe<Format>(
    Type.Union(
      choices.map(choice => Type.Literal(choice)),
      {
        default: choices[0],
        description: `What \`content\` is: ${choices.map(choice => ofFormat[choice]).join(', ')}.`,
      },
    ),
  )

const ofFormat: Record<ReturnFormat, string> = {
  markdown: 'markdown with tables',
  raw: 'raw, the document as it is',
  text: 'text as a reader sees it',
  commonmark: 'commonmark without any extension',
  png: 'png, a picture of the whole page in base64',
}

export const chrome = Type.Boolean({
  default: false,
  description: 'Run the scripts of the page in a browser, and read what they made.',
})

export const Pool = said(ProxyPool, 'Through which kind of proxies.')

/** ISO 3166-1 alpha-2. */
export const Country = Type.String({
  pattern: '^[A-Za-z]{2}$',
  description: 'An ISO 3166-1 alpha-2 code: where the request comes from.',
  examples: ['DE'],
  ...mustBe('an ISO 3166-1 alpha-2 code of two letters, such as DE'),
})

export const CloudTry = Type.Object(
  {
    backend: said(BackendName, 'Who was asked.'),
    pool: Type.Optional(said(ProxyPool, 'Of the proxy that was taken.')),
    outcome: Type.Union(
      [Type.Literal('got'), Type.Literal('blocked'), Type.Literal('failed'), Type.Literal('not_configured')],
      { description: 'What came of it; blocked: the site showed a challenge for bots.' },
    ),
    reason: orNull(
      Type.String({
        description: 'Why not, as a stable code, or whose challenge it was; null where it was got.',
      }),
    ),
    elapsed_ms: Type.Number({ description: 'Milliseconds that it took.' }),
    cost_usd: Type.Number({ description: 'What the backend asks for it, in US dollars.' }),
  },
  { $id: 'CloudTry' },
)
export type CloudTry = Static<typeof CloudTry>

const status = Type.Integer({ description: 'HTTP status of the target.' })
const blocked = Type.Boolean({
  description:
    'Whether the site showed a challenge in place of the page, to each backend; then it costs nothing.',
})

/** Of every answer. */
export const spent = {
  cost_usd: Type.Number({
    description: 'What was billed in US dollars, beside cloud pages: 0 of a backend on this installation.',
  }),
  elapsed_ms: Type.Number({ description: 'Milliseconds from the request to this answer.' }),
  warnings,
}

/** How one page was had. */
export const ofPage = {
  status,
  url: Type.String({ description: 'Where the page was found, behind all redirects.' }),
  backend: said(BackendName, 'Who had the page.'),
  tried: Type.Array(CloudTry, { description: 'Every backend that was asked, in order.' }),
  blocked,
  bytes_transferred: Type.Optional(
    Type.Integer({
      minimum: 0,
      description: 'Bytes over the wire, both ways, of the try that counts; absent where nobody counted.',
    }),
  ),
}

export const CloudPage = Type.Object(
  {
    content: Type.String({ description: 'The page, in the format that was asked for.' }),
    ...ofPage,
    pool: Type.Optional(said(ProxyPool, 'Of the proxy that had it; absent where none did.')),
    country: Type.Optional(Type.String({ description: 'Of that proxy; absent where it has none.' })),
    ...spent,
  },
  { $id: 'CloudPage' },
)
export type CloudPage = Static<typeof CloudPage>
