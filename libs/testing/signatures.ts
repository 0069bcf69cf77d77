/**
 * Verifies HTTP message signatures (RFC 9421) of Ed25519 keys as a site does. It shares no code with the signer: it
 * parses the fields that arrived.
 */
import { createHash, createPublicKey, verify } from 'node:crypto'

export type Message = {
  /** Names in lower case. */
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** The authority of the request, also for the signature of a response. */
  authority: string
  method?: string
  path?: string
}

export type Jwk = { kty: string; crv: string; x: string }

/** A signature that is valid, with its key. */
export type Verified = {
  label: string
  keyid: string
  components: string[]
  created: number
  expires: number
}

const members = /([a-z][\w-]*)=(\((?:[^)"]|"[^"]*")*\)(?:;[a-z]+(?:=(?:"[^"]*"|\d+))?)*)/g
const covered = /"([^"]+)"((?:;[a-z]+(?:="[^"]*")?)*)/g

/**
 * Returns all signatures with the tag.
 * @param seconds the time of the verifier since 1970
 * @throws Error that names the fault of the first invalid signature
 */
export function verified(message: Message, keys: readonly Jwk[], tag: string, seconds: number): Verified[] {
  const input = fieldOf(message, 'signature-input')
  const found = [...input.matchAll(members)].map(([, label = '', member = '']) => {
    const list = member.slice(1, member.indexOf(')'))
    const lines = [...list.matchAll(covered)].map(([whole, name = '', flags = '']) => ({
      name: whole,
      line: `${whole}: ${coveredValue(message, name, flags)}`,
    }))
    const base = [...lines.map(({ line }) => line), `"@signature-params": ${member}`].join('\n')
    const text = (name: string) => new RegExp(`;${name}="([^"]*)"`).exec(member)?.[1] ?? ''
    const number = (name: string) => Number(new RegExp(`;${name}=(\\d+)`).exec(member)?.[1])
    const [keyid, created, expires] = [text('keyid'), number('created'), number('expires')]
    if (text('tag') !== tag) throw new Error(`${label} has another tag: ${text('tag')}`)
    if (!(created <= seconds && seconds < expires)) throw new Error(`${label} is not valid now`)
    const key = keys.find(key => thumbprint(key) === keyid)
    if (key === undefined) throw new Error(`${label} has an unknown key: ${keyid}`)
    const bytes = new RegExp(`(?:^|, )${label}=:([^:]*):`).exec(fieldOf(message, 'signature'))?.[1] ?? ''
    if (!isSigned(base, bytes, key)) throw new Error(`${label} does not sign this message`)
    return { label, keyid, components: lines.map(({ name }) => name), created, expires }
  })
  if (found.length === 0) throw new Error('there is no signature')
  return found
}

function coveredValue(message: Message, name: string, flags: string): string {
  if (name === '@authority') return message.authority
  if (name === '@method') return message.method ?? ''
  if (name === '@path') return message.path ?? ''
  const member = /;key="([^"]*)"/.exec(flags)?.[1]
  const field = fieldOf(message, name)
  return member === undefined ? field : (new RegExp(`(?:^|, )${member}=("[^"]*")`).exec(field)?.[1] ?? '')
}

function fieldOf({ headers }: Message, name: string): string {
  const value = headers[name]
  if (value === undefined) throw new Error(`there is no ${name}`)
  return String(value)
}

const isSigned = (base: string, signature: string, { kty, crv, x }: Jwk): boolean =>
  verify(
    null,
    Buffer.from(base),
    createPublicKey({ key: { kty, crv, x }, format: 'jwk' }),
    Buffer.from(signature, 'base64'),
  )

const thumbprint = ({ crv, kty, x }: Jwk): string =>
  createHash('sha256').update(`{"crv":"${crv}","kty":"${kty}","x":"${x}"}`).digest('base64url')
