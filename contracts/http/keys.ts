/** `/v1/keys`: the keys of a project, without their secrets. */
import { type Static, Type } from 'typebox'
import { mustBe, orNull, said, Timestamp } from '../primitives.ts'
import { warnings } from './lists.ts'

const Prefix = Type.String({
  minLength: 12,
  maxLength: 12,
  description: 'The first 12 characters of the key.',
  examples: ['tmk_Zb3kQ9xV'],
})

export const KeyLabel = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: '^[^\\p{Cc}]*$',
  ...mustBe('text without control characters'),
  description: 'A name for people: what the key is for.',
})

export const ApiKeyView = Type.Object(
  {
    prefix: Prefix,
    label: Type.String({
      description:
        'A name for people; where none was given it says how the key was made, such as `signup` or `rotated`.',
    }),
    created_at: said(Timestamp, 'When it was made.'),
    last_used_at: Type.Union([Timestamp, Type.Null()], {
      description: 'Up to a minute old; null: never used.',
    }),
    revoked_at: orNull(said(Timestamp, 'When it was revoked; null: it was not.')),
    expires_at: Type.Union([Timestamp, Type.Null()], {
      description: 'It opens nothing from then on; null: no end is set.',
    }),
  },
  { $id: 'ApiKey' },
)
export type ApiKeyView = Static<typeof ApiKeyView>

export const ApiKeyList = Type.Object(
  { items: Type.Array(ApiKeyView, { description: 'Valid, expired and revoked.' }) },
  { $id: 'ApiKeyList' },
)

export const KeyRotation = Type.Object(
  {
    label: Type.Optional(KeyLabel),
    grace_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 31_536_000,
        default: 86_400,
        description: 'How long the keys of today stay valid beside the new one; 0 ends them at once.',
      }),
    ),
  },
  { $id: 'KeyRotation' },
)
export type KeyRotation = Static<typeof KeyRotation>

export const RotatedKey = Type.Object(
  {
    api_key: Type.String({ description: 'The key itself. It is shown here once and never again.' }),
    prefix: Prefix,
    label: Type.String({ description: 'A name for people; `rotated` where none was given.' }),
    grace_seconds: Type.Integer({ description: 'Seconds for which the keys of before stay valid.' }),
    warnings,
  },
  { $id: 'RotatedKey' },
)
export type RotatedKey = Static<typeof RotatedKey>

export const RevokedKey = Type.Object(
  { revoked: Type.Literal(true, { description: 'Always true.' }), prefix: Prefix },
  { $id: 'RevokedKey' },
)

export const KeyParams = Type.Object({ prefix: Prefix })
