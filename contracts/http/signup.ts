/** `POST /v1/signup`: creates a project with its first key (specification, Signup and billing). */
import { type Static, Type } from 'typebox'
import { Id, mustBe, oneOf, Tier } from '../primitives.ts'
import { warnings } from './lists.ts'

export const ProjectName = Type.String({
  pattern: '^[A-Za-z0-9_-]{1,64}$',
  ...mustBe('1 to 64 letters, digits, "_" and "-"'),
  description: 'Name of the project: 1 to 64 letters, digits, "_" and "-".',
})

/** Mail addresses that all mail programs accept: no quoted names, no spaces, no header injection. */
export const Email = Type.String({
  format: 'email',
  pattern: '^[^\\s"<>(),:;\\\\]+@[^\\s"<>(),:;\\\\]+$',
  maxLength: 254,
  ...mustBe('an e-mail address'),
  description: 'Mail address that receives the key.',
})

export const Signup = Type.Object(
  {
    project_name: ProjectName,
    email: Email,
    tier: Type.Union(Tier.anyOf, {
      default: 'free',
      description: 'free is created at once; the other tiers after a checkout.',
    }),
    turnstile_token: Type.Optional(
      Type.String({
        maxLength: 2048,
        description: 'Response token of the captcha. Required if the installation uses one.',
      }),
    ),
  },
  { $id: 'Signup' },
)

const onlyFree = 'Only for a free project.'

export const SignedUp = Type.Object(
  {
    status: oneOf(['created', 'checkout_required'], {
      description:
        'created: the project exists, with its key. checkout_required: it is created when the checkout is paid.',
    }),
    project_id: Type.Optional(Type.Integer({ description: onlyFree })),
    project_name: Type.String({ description: 'The requested name.' }),
    tier: Type.Union(Tier.anyOf, { description: 'The requested tier.' }),
    api_key: Type.Union([Type.String(), Type.Null()], {
      description: 'The secret of the key, shown only once; null until the checkout is paid.',
    }),
    prefix: Type.Optional(Type.String({ description: 'The first 12 characters of the key.' })),
    label: Type.Optional(Type.String({ description: 'Name of the key.' })),
    email: Type.Optional(Type.String({ description: onlyFree })),
    email_sent: Type.Optional(
      Type.Boolean({
        description: 'Whether the key is also sent by mail; false: this installation has no mail server.',
      }),
    ),
    intent_id: Type.Union([Id, Type.Null()], {
      description: 'For `GET /v1/billing/checkout`; null: the project is free.',
    }),
    checkout_url: Type.Union([Type.String(), Type.Null()], {
      description: 'Address of the checkout page, for a browser; null: the project is free.',
    }),
    mock: Type.Optional(
      Type.Boolean({ description: 'Test mode without payments: this installation has no payment provider.' }),
    ),
    warnings,
  },
  { $id: 'SignedUp' },
)
export type SignedUp = Static<typeof SignedUp>
