/** Decodes the contents of a dead letter, as far as possible, without secrets. */
import zlib from 'node:zlib'
import { decodeFrame } from '@tidemark/bus/frame'
import { censored, withoutSecrets } from '@tidemark/telemetry/redact'

export type Contents =
  | { form: 'json'; value: unknown }
  /** `blobs` are the lengths of bodies in bytes. */
  | { form: 'frame'; header: unknown; blobs: number[] }
  /** Contents that cannot be decoded; `begins` has their first 500 bytes. */
  | { form: 'unreadable'; begins: string }
  | { form: 'left out' }

const maxShown = 500
const maxUnpacked = 64 * 1024 ** 2
const gzipMark = 0x1f

/**
 * Returns the decoded contents.
 * @param data null if it was too large to be stored
 */
export function contentsOf(data: Uint8Array | null): Contents {
  if (data === null) return { form: 'left out' }
  return (
    attempt(() => ({ form: 'json', value: shown(JSON.parse(textOf(unpacked(data)))) })) ??
    attempt(() => {
      const { header, blobs } = decodeFrame(data)
      return { form: 'frame', header: shown(header), blobs: blobs.map(({ length }) => length) }
    }) ?? { form: 'unreadable', begins: withoutSecrets(Buffer.from(data.subarray(0, maxShown)).toString()) }
  )
}

function attempt(read: () => Contents): Contents | null {
  try {
    return read()
  } catch {
    return null
  }
}

const unpacked = (data: Uint8Array): Uint8Array =>
  data[0] === gzipMark ? zlib.gunzipSync(data, { maxOutputLength: maxUnpacked }) : data

const textOf = (data: Uint8Array): string => new TextDecoder('utf-8', { fatal: true }).decode(data)

/** Redacts secrets by field names, and then by their patterns in all texts. */
function shown(value: unknown): unknown {
  const named = censored({ value })
  return JSON.parse(withoutSecrets(JSON.stringify(named))).value ?? null
}
