/**
 * Embeds the texts of an export: every text once, in requests of a bounded size. No text is sent without the consent of
 * the project, each request is reserved under the daily cap, and its vectors are stored together with its bill.
 */
import { hash } from 'node:crypto'
import { hasConsented, type ModelConsent } from '@tidemark/contracts/rpc/accounts'
import type { ReserveModelCall, ReserveModelCallResponse } from '@tidemark/contracts/rpc/usage'
import { nameOfPart } from '@tidemark/contracts/served'
import type { Embeddings } from '../../adapters/embeddings.ts'
import type { StoredVector, Vectors } from '../../adapters/exports/vectors.ts'
import { billOf, type Embedded, nextCall } from '../../domain/exports/embedding-bill.ts'
import { ExportFault, type ExportJob, Postponed, TimeSliceOver } from '../../domain/exports/export-job.ts'

export type EmbedPorts = {
  embeddings: Embeddings | null
  vectors: Vectors
  /** Returns the stored consent of a project, which is never cached. */
  consent: (projectId: number) => Promise<ModelConsent | null>
  /** Reserves a call under the daily cap of the project. */
  reserve: (call: ReserveModelCall) => Promise<ReserveModelCallResponse>
  /** Releases a call that was not made. Never throws. */
  release: (call: ReserveModelCall) => void
  /** Returns whether other due exports get their time slice now. */
  isSliceOver: () => Promise<boolean>
}

/** A text and its number of tokens. */
export type Text = { text: string; tokens: number }

/** Returns the vector of each text. Equal texts have the same vector object. */
export type Embed = (texts: readonly Text[], what: string) => Promise<Float32Array[]>

/** Maximum tokens of one request, and bytes of the vectors of one call. */
const limits = { tokens: 65_536, bytes: 128 * 1024 ** 2 }

/**
 * Rejects with `ExportFault`, `LeaseLost`, `Postponed` for a used up cap, `TimeSliceOver`, the reason of the signal,
 * and `Refusal` of a service that is unavailable.
 */
export function embedderOf(ports: EmbedPorts, job: ExportJob, signal: AbortSignal): Embed {
  let { embeddings: embedded } = job
  return async (texts, what) => {
    const keyed = texts.map(({ text, tokens }) => keyedText(text, tokens))
    const byKey = new Map(keyed.map(one => [one.key, one]))
    const hashes = [...byKey.values()].map(({ hash }) => hash)
    const found = await ports.vectors.find(job, hashes)
    const known = new Map(found.map(one => [one.hash.toString('base64'), one.vector]))
    const model = ports.embeddings
    const missing = [...byKey.values()].filter(({ key }) => !known.has(key))
    if (missing.length > 0 && model === null) throw notConfigured()
    for (const batch of batchesOf(missing, model?.maxTexts ?? 1)) {
      if (model === null) break
      if (embedded !== null && embedded.model !== model.name) throw otherModel(embedded.model)
      const sent = await embedOnce({ ports, model, job, embedded, signal }, batch, what)
      embedded = sent.embedded
      for (const [n, { key }] of batch.entries()) known.set(key, sent.vectors[n] as Float32Array)
      if (known.size * embedded.dimensions * Float32Array.BYTES_PER_ELEMENT > limits.bytes) throw tooMany()
      if (await ports.isSliceOver()) throw new TimeSliceOver()
    }
    return keyed.map(({ key }) => known.get(key) as Float32Array)
  }
}

type Keyed = Text & { hash: Buffer; key: string }

function keyedText(text: string, tokens: number): Keyed {
  const wellFormed = text.toWellFormed()
  const digest = hash('sha256', wellFormed, 'buffer')
  return { text: wellFormed, tokens, hash: digest, key: digest.toString('base64') }
}

function* batchesOf(texts: readonly Keyed[], maxTexts: number): Generator<Keyed[]> {
  let batch: Keyed[] = []
  let tokens = 0
  for (const one of texts) {
    if (batch.length === maxTexts || (batch.length > 0 && tokens + one.tokens > limits.tokens)) {
      yield batch
      batch = []
      tokens = 0
    }
    batch.push(one)
    tokens += one.tokens
  }
  if (batch.length > 0) yield batch
}

type Step = {
  ports: EmbedPorts
  model: Embeddings
  job: ExportJob
  embedded: Embedded | null
  signal: AbortSignal
}

async function embedOnce(
  { ports, model, job, embedded, signal }: Step,
  batch: readonly Keyed[],
  what: string,
): Promise<{ embedded: Embedded; vectors: Float32Array[] }> {
  const { projectId } = job
  if (!hasConsented(await ports.consent(projectId), model.host)) throw notConsented(model.host)
  const name = nextCall(job.id, embedded)
  const call = { projectId, requestId: nameOfPart(name) }
  const { granted, cap, retryAfterSeconds } = await ports.reserve(call)
  if (!granted) throw cap === 0 ? noCalls() : new Postponed(retryAfterSeconds * 1000)
  const texts = batch.map(({ text }) => text)
  const answer = await model
    .request({ texts, dimensions: embedded?.dimensions ?? null }, signal)
    .catch(error => {
      // An aborted export continues with the reserved call.
      if (!signal.aborted) ports.release(call)
      throw error
    })
  if (answer.type !== 'embedded') {
    ports.release(call)
    throw faultOf(answer)
  }
  const { vectors, tokens } = answer
  const stored = vectors.map((vector, n): StoredVector => ({ hash: (batch[n] as Keyed).hash, vector }))
  const sums = {
    ...{ model: model.name, dimensions: vectors[0]?.length ?? 0 },
    texts: (embedded?.texts ?? 0) + vectors.length,
    tokens: (embedded?.tokens ?? 0) + tokens,
    calls: (embedded?.calls ?? 0) + 1,
  }
  const bill = billOf(job, name, { model: model.name, tokens, what, at: new Date().toISOString() })
  await ports.vectors.store(job, stored, sums, bill)
  return { embedded: sums, vectors }
}

type Failed = Exclude<Awaited<ReturnType<Embeddings['request']>>, { type: 'embedded' }>

/**
 * A server that is busy or unreachable is an outage. An invalid response ends the export, because another request may
 * receive the same response.
 */
function faultOf({ type, why }: Failed): ExportFault {
  const detail = `The model of embeddings ${why}.`
  if (type === 'unreached') return new ExportFault('embeddings_unavailable', detail, { isFinal: false })
  return type === 'failed'
    ? new ExportFault(
        'embeddings_refused',
        `${detail} Choose a smaller chunks.max_tokens, or contact the operator.`,
      )
    : new ExportFault('embeddings_invalid', `${detail} Nothing of it was used. Contact the operator.`)
}

const notConfigured = () =>
  new ExportFault('not_configured', 'This installation has no model of embeddings now. Leave embeddings out.')

const notConsented = (host: string) =>
  new ExportFault(
    'model_consent',
    `The project has not consented that ${host} receives text of pages. Send PUT /v1/model-consent with {"consent": true}, then request the export again.`,
  )

const noCalls = () =>
  new ExportFault('model_calls', 'This installation allows no calls of models. Leave embeddings out.')

const otherModel = (before: string) =>
  new ExportFault(
    'embeddings_invalid',
    `The operator has replaced the model ${before} during this export. Request it again, so that one model makes all vectors.`,
  )

const tooMany = () =>
  new ExportFault(
    'too_large',
    'The vectors of a page exceed 128 MiB. Choose a larger chunks.max_tokens, or leave embeddings out.',
  )
