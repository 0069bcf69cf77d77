/** Settings of the language model, which fills missing values on request, and of the model of embeddings. */
import { type Static, Type } from 'typebox'

const addressFault = (text: string): string | null => {
  if (text === '') return null
  const { protocol = '', username, password, search, hash } = URL.parse(text) ?? {}
  const isAddress = /^https?:$/.test(protocol) && !username && !password && !search && !hash
  return isAddress ? null : 'must be an address such as https://models.example.com/v1'
}

const hostFault = (text: string): string | null =>
  /^(?:[A-Za-z0-9.-]+|\[[0-9a-fA-F:]+\])(?::\d{1,5})?$/.test(text)
    ? null
    : 'must be a host, with its port if the address has one, such as models.internal:8000'

export const modelSettings = {
  LLM_BASE_URL: Type.String({
    default: '',
    check: addressFault,
    description:
      'Address of a server with `/chat/completions`, such as `https://models.example.com/v1`. Unset: no language model, and requests for one are not_configured.',
  }),
  LLM_MODEL: Type.String({ default: '', description: 'Name of the model. Required with LLM_BASE_URL.' }),
  LLM_API_KEY: Type.String({
    default: '',
    description: 'Key of the server, sent as a bearer token to its address only. Unset: none is sent.',
  }),
  LLM_ALLOWED_HOSTS: Type.Array(Type.String(), {
    default: [],
    check: hostFault,
    description:
      'Hosts of model servers that may have private addresses, such as `localhost:11434`. Other hosts must have public addresses or be in EGRESS_ALLOW.',
  }),
  LLM_MAX_TOKENS: Type.Integer({
    default: 2_048,
    minimum: 16,
    maximum: 32_768,
    description: 'Maximum tokens of one response (`max_tokens`). A response that reaches it is discarded.',
  }),
  LLM_MAX_CHARACTERS: Type.Integer({
    default: 40_000,
    minimum: 1_000,
    maximum: 400_000,
    description: 'Characters of a page that the model receives. Longer pages are cut, with a warning.',
  }),
  LLM_TIMEOUT_MS: Type.Integer({
    default: 30_000,
    minimum: 500,
    maximum: 60_000,
    description: 'Time for one response of a model, including at most two retries.',
  }),
  LLM_IN_FLIGHT: Type.Integer({
    default: 8,
    minimum: 1,
    maximum: 256,
    description:
      'Concurrent requests of one process to the model. A project has at most a quarter of them. Further ones wait, and are answered without the model if wait and response could exceed a minute.',
  }),
  EMBEDDINGS_MODEL: Type.String({
    default: '',
    description:
      'Name of the model of embeddings, which exports add to chunks on request. Unset: requests for embeddings are not_configured.',
  }),
  EMBEDDINGS_BASE_URL: Type.String({
    default: '',
    check: addressFault,
    description:
      'Address of a server with `/embeddings`, such as `https://models.example.com/v1`. LLM_ALLOWED_HOSTS and LLM_TIMEOUT_MS apply to it too. Default: LLM_BASE_URL.',
  }),
  EMBEDDINGS_API_KEY: Type.String({
    default: '',
    description:
      'Key of the server of embeddings, sent to its address only. Default: LLM_API_KEY if both servers have the same origin, else none.',
  }),
  EMBEDDINGS_TEXTS: Type.Integer({
    default: 32,
    minimum: 1,
    maximum: 256,
    description:
      'Texts of one request for embeddings. Each request is a call of MODEL_CALLS_PER_DAY. Servers have limits, such as 32 texts.',
  }),
}

type ModelSettings = Static<ReturnType<typeof Type.Object<typeof modelSettings>>>

/** Returns the faults of settings that depend on each other. */
export function modelFaults(settings: ModelSettings): string[] {
  const { LLM_BASE_URL, LLM_MODEL, EMBEDDINGS_BASE_URL, EMBEDDINGS_MODEL } = settings
  return [
    ...(LLM_BASE_URL !== '' && LLM_MODEL === ''
      ? ['LLM_MODEL is not set: LLM_BASE_URL needs the name of a model of that server']
      : []),
    ...(EMBEDDINGS_BASE_URL !== '' && EMBEDDINGS_MODEL === ''
      ? ['EMBEDDINGS_MODEL is not set: EMBEDDINGS_BASE_URL needs the name of a model of that server']
      : []),
    ...(EMBEDDINGS_MODEL !== '' && EMBEDDINGS_BASE_URL === '' && LLM_BASE_URL === ''
      ? ['EMBEDDINGS_BASE_URL is not set: EMBEDDINGS_MODEL needs the address of its server, or LLM_BASE_URL']
      : []),
  ]
}

/** Returns the model of embeddings and the host that receives the texts; null: no model is configured. */
export const embeddingsOffer = (settings: ModelSettings): { name: string; host: string } | null =>
  settings.EMBEDDINGS_MODEL === ''
    ? null
    : { name: settings.EMBEDDINGS_MODEL, host: new URL(embeddingsServer(settings).base).host }

/**
 * Returns the address and the key of the server of embeddings. The key of the language model is sent to its own origin
 * only.
 */
export function embeddingsServer(settings: ModelSettings): { base: string; key: string } {
  const { LLM_BASE_URL, LLM_API_KEY, EMBEDDINGS_BASE_URL, EMBEDDINGS_API_KEY } = settings
  const base = EMBEDDINGS_BASE_URL || LLM_BASE_URL
  const isSame = URL.parse(base)?.origin === URL.parse(LLM_BASE_URL)?.origin
  return { base, key: EMBEDDINGS_API_KEY || (isSame ? LLM_API_KEY : '') }
}
