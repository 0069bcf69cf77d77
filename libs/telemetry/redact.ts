/**
 * Removes secrets from logs and traces, whichever code writes there. It removes fields with the names of secrets, and
 * parts of texts that match patterns of secrets.
 */
import { pino } from 'pino'

const censor = '[redacted]'

/** Maximum depth of logged objects. Deeper fields are left out. */
const maxDepth = 8

/** Parts of names, in lower case and without separators. */
const secretNames =
  /authorization|cookie|password|passwd|passphrase|secret|token|apikey|vendorkey|accesskey|privatekey|credential|sealed|proxyurl|databaseurl|natsurl|redisurl|email|^headers$|^rawheaders$|^pass$|^auth$/

/** A pattern and its replacement, which never depends on the secret, so that JSON stays valid. */
const shapes: [shape: RegExp, left: string][] = [
  // A key keeps its prefix, by which its owner recognises it.
  [/\b(tmk_\w{8})\w+/g, `$1${censor}`],
  [/\b(?:sk|rk|pk|whsec)_\w{8,}/g, censor],
  // Removes everything between a scheme and the last @ before the path. In JSON a quote may be escaped.
  [/(:\/\/)(?:\\.|[^\s"\\/])*@/g, `$1${censor}@`],
  [/\b(bearer|basic) +[\w.~+/=-]{6,}/gi, `$1 ${censor}`],
  // Removes everything after such a name in one text, however often it was quoted. Names of errors are excluded,
  // because their stack follows.
  [
    /((?:authorization|cookies?|api[_-]?key|proxy[_-]?url|secret|passw(?:or)?d|token)(?!\w*(?:Error|Unreadable)\b)\w*\\*["']?\s*[:=]\s*(?:\\+["']|')?)(?:\\.|[^"\\\r\n])+/gi,
    `$1${censor}`,
  ],
  [
    /([?&;\s](?:api[_-]?key|key|(?:access|auth|id|refresh|session)?[_-]?token|secret|pass(?:word|wd)?|sig(?:nature)?|sid)=)[^&\s"\\]+/gi,
    `$1${censor}`,
  ],
  // Our own keys, passwords and secrets, in hex.
  [/\b[0-9a-f]{64}\b/gi, censor],
  // A match begins where such characters begin, so that each of them is tried once.
  [/(?<![\w.%+-])(?:[\w.%+-]+@(?:[\w-]+\.)+[a-z]{2,}\b)+/gi, censor],
]

/** Returns the text without secrets. Valid JSON stays valid. */
export const withoutSecrets = (text: string): string =>
  shapes.reduce((rest, [shape, left]) => rest.replace(shape, left), text)

/**
 * Returns a copy without fields that have the name of a secret, at any depth. Errors and dates become plain values.
 */
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
  if (depth >= maxDepth) return '…'
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
