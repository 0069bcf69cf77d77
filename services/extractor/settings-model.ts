/** Settings of the language model, which fills missing values on request. */
import { Type } from 'typebox'

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
    description: 'Time for one response of the model, including at most two retries.',
  }),
  LLM_IN_FLIGHT: Type.Integer({
    default: 8,
    minimum: 1,
    maximum: 256,
    description: 'Concurrent requests of one process to the model. Further ones are answered without it.',
  }),
}
