/** Requests the embeddings of texts at any server with `/embeddings`. Without valid vectors it returns the reason. */
import {
  type EmbeddingRequest,
  type EmbeddingResult,
  embeddedIn,
  maxDimensions,
} from '../domain/model/embeddings.ts'
import type { Settings } from '../settings.ts'
import { embeddingsServer } from '../settings-model.ts'
import { openServer, type Unreached } from './model-server.ts'

export type Embeddings = AsyncDisposable & {
  name: string
  /** The host that receives the texts. */
  host: string
  /** Maximum texts of a request. */
  maxTexts: number
  /** Rejects with the reason of the signal. */
  request(request: EmbeddingRequest, signal: AbortSignal): Promise<EmbeddingResult | Unreached>
}

/** Bytes in JSON: of a number, of a vector without its numbers, and of a response without its vectors. */
const bytesOf = { number: 26, vector: 256, response: 64 * 1024 }

/** Returns the model of the settings; null: none is configured. */
export function openEmbeddings(settings: Settings, report: (error: unknown) => void): Embeddings | null {
  const { EMBEDDINGS_MODEL: model, EMBEDDINGS_TEXTS: maxTexts } = settings
  if (model === '') return null
  const endpoint = { name: 'model of embeddings', path: 'embeddings', ...embeddingsServer(settings) }
  const server = openServer(endpoint, settings, report)
  return {
    name: model,
    host: server.host,
    maxTexts,
    async request(request, signal) {
      const { texts, dimensions } = request
      const found = await server.request({
        body: JSON.stringify({ model, input: texts, encoding_format: 'float' }),
        maxBytes:
          bytesOf.response + texts.length * (bytesOf.vector + bytesOf.number * (dimensions ?? maxDimensions)),
        signal,
        read: response => embeddedIn(response, request),
      })
      if (found.type === 'failed' || found.type === 'invalid')
        report(new Error(`the model of embeddings ${found.why}`))
      return found
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}
