/** `/v1/model-consent`: the consent of a project that pages are sent to the language model of the installation. */
import { type Static, Type } from 'typebox'
import { described, orNull, Timestamp } from '../primitives.ts'
import { warnings } from './lists.ts'

export const ModelConsentRequest = Type.Object(
  {
    consent: Type.Boolean({
      description:
        'true: addresses and text of pages may be sent to the host of the model. false: withdraws the consent.',
      examples: [true],
    }),
  },
  { $id: 'ModelConsentRequest' },
)

export const ModelConsentView = Type.Object(
  {
    consent: Type.Boolean({
      description:
        'Whether addresses and text of pages may be sent to the model. A consent is for one host, and ends when the operator chooses another host.',
    }),
    model: orNull(
      Type.String({ description: 'Name of the language model; null: this installation has none.' }),
    ),
    host: orNull(
      Type.String({ description: 'The host that receives addresses and text; null: there is no model.' }),
    ),
    embeddings: Type.Optional(
      orNull(
        Type.Object(
          {
            consent: Type.Boolean({ description: 'Whether text of pages may be sent to this model.' }),
            model: Type.String({ description: 'Name of the model.' }),
            host: Type.String({ description: 'The host that receives the text.' }),
          },
          {
            description:
              'The model of embeddings, which exports use; null: this installation has none. A consent is for both models.',
          },
        ),
      ),
    ),
    changed_at: orNull(described(Timestamp, 'Time of the consent; null: without one.')),
    changed_by: orNull(Type.String({ description: 'Prefix of the key that gave it.' })),
    warnings,
  },
  { $id: 'ModelConsent' },
)
export type ModelConsentView = Static<typeof ModelConsentView>
