/** `/v1/keys`: the keys of a project, without their secrets. */
import { type Static, Type } from 'typebox'
import { described, mustBe, orNull, Timestamp } from '../primitives.ts'
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
  pattern: '^[^\\x00-\\x1f\\x7f-\\x9f]*$',
  ...mustBe('text without control characters'),
  description: 'Label: the purpose of the key.',
})

export const ApiKeyView = Type.Object(
  {
    prefix: Prefix,
    label: Type.String({
      description:
        'Label of the key. Keys without one show how they were created, such as `signup` or `rotated`.',
    }),
    created_at: described(Timestamp, 'Time of creation.'),
    last_used_at: Type.Union([Timestamp, Type.Null()], {
      description: 'Time of the last use, up to a minute old; null: never used.',
    }),
    revoked_at: orNull(described(Timestamp, 'Time of the revocation; null: not revoked.')),
    expires_at: Type.Union([Timestamp, Type.Null()], {
      description: 'Expiry; null: the key does not expire.',
    }),
  },
  { $id: 'ApiKey' },
)
export type ApiKeyView = Static<typeof ApiKeyView>

export const ApiKeyList = Type.Object(
  { items: Type.Array(ApiKeyView, { description: 'Valid, expired and revoked keys.' }), warnings },
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
        description:
          'Seconds for which the existing keys stay valid beside the new one; 0 ends them at once.',
      }),
    ),
  },
  { $id: 'KeyRotation' },
)

export const RotatedKey = Type.Object(
  {
    api_key: Type.String({ description: 'The secret of the key, shown only once.' }),
    prefix: Prefix,
    label: Type.String({ description: 'Label of the key; `rotated` if none was given.' }),
    grace_seconds: Type.Integer({ description: 'Seconds for which the earlier keys stay valid.' }),
    warnings,
  },
  { $id: 'RotatedKey' },
)
export type RotatedKey = Static<typeof RotatedKey>

export const RevokedKey = Type.Object(
  { revoked: Type.Literal(true, { description: 'Always true.' }), prefix: Prefix, warnings },
  { $id: 'RevokedKey' },
)

export const KeyParams = Type.Object({ prefix: Prefix })
