/**
 * What must never be read in a log or a trace, whoever writes there and whatever he forgets: things by the names
 * that secrets have, and in any text what has the shape of one.
 */
import { pino } from 'pino'

const censor = '[redacted]'

/** Beyond this depth nothing is written: who nests deeper tells nobody anything. */
const deepest = 8

/** Parts of names, in small letters and without what parts their words. */
const secretNames =
  /authorization|cookie|password|passwd|passphrase|secret|token|apikey|vendorkey|accesskey|privatekey|credential|sealed|proxyurl|databaseurl|natsurl|redisurl|email|^headers$|^rawheaders$|^pass$|^auth$/

/** A shape, and what is left of it: never its own text, so that JSON stays JSON. */
const shapes: [shape: RegExp, left: string][] = [
  // A key keeps the beginning by which its owner knows it.
  [/\b(tmk_\w{8})\w+/g, `$1${censor}`],
  [/\b(?:sk|rk|pk|whsec)_\w{8,}/g, censor],
  // Everything between a scheme and the last @ before the path; inside JSON a quote may be escaped.
  [/(:\/\/)(?:\\.|[^\s"\\/])*@/g, `$1${censor}@`],
  [/\b(bearer|basic) +[\w.~+/=-]{6,}/gi, `$1 ${censor}`],
  // All that follows such a name in one text, however often it was quoted. The name of an error is none: its stack follows.
  [
    /((?:authorization|cookies?|api[_-]?key|proxy[_-]?url|secret|passw(?:or)?d|token)(?!\w*(?:Error|Unreadable)\b)\w*\\*["']?\s*[:=]\s*(?:\\+["']|')?)(?:\\.|[^"\\\r\n])+/gi,
    `$1${censor}`,
  ],
  [
    /([?&;\s](?:api[_-]?key|key|(?:access|auth|id|refresh|session)?[_-]?token|secret|pass(?:word|wd)?|sig(?:nature)?|sid)=)[^&\s"\\]+/gi,
    `$1${censor}`,
  ],
  // Keys, passwords and secrets of ours, in hex.
  [/\b[0-9a-f]{64}\b/gi, censor],
  [/[\w.%+-]+@(?:[\w-]+\.)+[a-z]{2,}\b/gi, censor],
]

/** The text without what has the shape of a secret. What was JSON is JSON. */
export const withoutSecrets = (text: string): string =>
  shapes.reduce((rest, [shape, left]) => rest.replace(shape, left), text)

/** A copy without what stands under the name of a secret, at any depth; errors and dates become plain. */
export const censored = (fields: object): Record<string, unknown> => censoredFields(fields, 0)

function censoredFields(fields: object, depth: number): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      isSecretName(name) && value !== null && value !== undefined ? censor : censoredValue(value, depth),
    ]),
  )
}

function censoredValue(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (depth >= deepest) return '…'
  if (value instanceof Error)
    return censoredFields({ ...pino.stdSerializers.err(value), type: value.name }, depth + 1)
  if (ArrayBuffer.isView(value)) return `${value.byteLength} bytes`
  if (Array.isArray(value)) return value.map(item => censoredValue(item, depth + 1))
  if (value instanceof Map || value instanceof Headers) {
    return censoredFields(
      Object.fromEntries([...value].map(([name, item]) => [String(name), item])),
      depth + 1,
    )
  }
  if (value instanceof Set) return censoredValue([...value], depth + 1)
  const json = Reflect.get(value, 'toJSON')
  if (typeof json === 'function') return censoredValue(json.call(value), depth + 1)
  return censoredFields(value, depth + 1)
}

const isSecretName = (name: string): boolean =>
  secretNames.test(name.replaceAll(/[^a-z0-9]/gi, '').toLowerCase())
