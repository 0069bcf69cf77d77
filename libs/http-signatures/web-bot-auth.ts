/**
 * Web Bot Auth: signs the requests of a crawler, and makes the directory of its keys, so that a site can verify whose
 * crawler it is (draft-ietf-webbotauth-httpsig-protocol-01). A signature covers the authority of the request and the
 * address of the directory. So it depends on the authority and the minute only, and is computed once for both.
 */
import { hash } from 'node:crypto'
import { type Component, signed } from './signature.ts'
import type { SigningKey } from './signing-key.ts'
import { stringItem } from './structured-fields.ts'

/**
 * The form of `Signature-Agent`: `dictionary`, as the draft demands, or `string`, as its predecessors
 * (draft-meunier-web-bot-auth-architecture-00 to -03) and verifiers of their time do.
 */
export type AgentForm = 'dictionary' | 'string'

type Fields = Readonly<Record<string, string>>

/** Returns the fields that sign a request to an authority: host and port as in `URL.host`. */
export type SignRequest = (authority: string) => Fields

type SignerOptions = {
  key: SigningKey
  /** The https origin of the directory. */
  directory: string
  form: AgentForm
  /** Milliseconds since 1970. */
  now: () => number
  /** Maximum number of cached signatures. */
  cached?: number
}

export const directoryPath = '/.well-known/http-message-signatures-directory'
const directoryType = 'application/http-message-signatures-directory+json'

const label = 'sig1'
const minute = 60
/** Seconds from the beginning of a minute. A request may wait for a connection, and clocks differ. */
const requestLifetime = 5 * minute
/** Seconds. It exceeds the time for which a copy of the directory is kept, so that no copy has an expired signature. */
const directoryLifetime = 24 * 60 * minute
/** Seconds for which verifiers may keep the directory. A removed key stays valid for this time. */
const directoryAge = 3600
const usuallyCached = 4096

/** Returns a function that signs. It keeps the signatures of the authorities that were requested last. */
export function createRequestSigner(options: SignerOptions): SignRequest {
  const { now, cached = usuallyCached } = options
  const kept = new Map<string, { created: number; fields: Fields }>()
  return authority => {
    const created = minuteOf(now())
    const known = kept.get(authority)
    kept.delete(authority)
    const entry = known?.created === created ? known : { created, fields: sign(options, authority, created) }
    kept.set(authority, entry)
    const oldest = kept.keys().next()
    if (kept.size > cached && !oldest.done) kept.delete(oldest.value)
    return entry.fields
  }
}

function sign({ key, directory, form }: SignerOptions, authority: string, created: number): Fields {
  const agent = stringItem(directory)
  const isMember = form === 'dictionary'
  const components: Component[] = [
    { name: '@authority', value: authority },
    { name: 'signature-agent', value: agent, ...(isMember && { parameters: { key: label } }) },
  ]
  const parameters = parametersFor(key, created, requestLifetime, 'web-bot-auth')
  const { input, signature } = signed(key, components, parameters)
  return Object.freeze({
    'signature-agent': isMember ? `${label}=${agent}` : agent,
    'signature-input': `${label}=${input}`,
    signature: `${label}=${signature}`,
  })
}

/** The directory of keys as a response: its exact bytes, and its header fields. */
export type Directory = { body: Buffer; fields: Fields }

/**
 * Returns a function that returns the directory. Each key signs it again each minute. The signatures name the
 * configured authority instead of the requested one, so that no other site can serve the directory as its own.
 * @param keys the first signs requests
 */
export function createDirectory(
  keys: readonly SigningKey[],
  origin: string,
  now: () => number,
): () => Directory {
  const body = Buffer.from(
    JSON.stringify({ keys: keys.map(({ jwk, keyid }) => ({ ...jwk, kid: keyid, use: 'sig' })) }),
  )
  const digest = `sha-256=:${hash('sha256', body, 'base64')}:`
  const components: Component[] = [
    { name: '@authority', parameters: { req: true }, value: new URL(origin).host },
    { name: 'content-digest', value: digest },
  ]
  let latest = { created: 0, fields: {} }
  return () => {
    const created = minuteOf(now())
    if (latest.created !== created) {
      const signatures = keys.map(key =>
        signed(
          key,
          components,
          parametersFor(key, created, directoryLifetime, 'http-message-signatures-directory'),
        ),
      )
      const joined = (part: 'input' | 'signature') =>
        signatures.map((one, at) => `key${at + 1}=${one[part]}`).join(', ')
      latest = {
        created,
        fields: {
          'content-type': directoryType,
          'cache-control': `public, max-age=${directoryAge}`,
          'content-digest': digest,
          'signature-input': joined('input'),
          signature: joined('signature'),
        },
      }
    }
    return { body, fields: latest.fields }
  }
}

const minuteOf = (ms: number): number => Math.floor(ms / 1000 / minute) * minute

const parametersFor = ({ keyid }: SigningKey, created: number, lifetime: number, tag: string) => ({
  created,
  expires: created + lifetime,
  keyid,
  alg: 'ed25519',
  tag,
})
