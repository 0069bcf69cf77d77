/** Defines the settings of usage-ledger. */
import { connectionSettings, databaseSettings } from '@tidemark/config/connections'
import { Type } from 'typebox'

export const Settings = Type.Object({
  ...connectionSettings,
  ...databaseSettings,
  MODEL_CALLS_PER_DAY: Type.Integer({
    default: 1_000,
    minimum: 0,
    maximum: 1_000_000_000,
    description:
      'Calls of the language model and of the model of embeddings per project and UTC day. Further requests are refused (429 `model_calls`), monitors send their webhooks without a judgement, and exports with embeddings wait for the next day. Together with LLM_MAX_TOKENS and LLM_MAX_CHARACTERS it limits the tokens.',
  }),
})
