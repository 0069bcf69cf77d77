/** `POST /v1/signup`: how somebody comes to a project and its first key (specification, Signup and billing). */
import { type Static, Type } from 'typebox'
import { Id, mustBe, Tier } from '../primitives.ts'
import { warnings } from './lists.ts'

export const ProjectName = Type.String({
  pattern: '^[A-Za-z0-9_-]{1,64}$',
  ...mustBe('1 to 64 letters, digits, "_" and "-"'),
  description: 'What the project is called: 1 to 64 letters, digits, "_" and "-".',
})

/** What mail programs agree on: no quoted names, no spaces, nothing that could begin another header. */
export const Email = Type.String({
  format: 'email',
  pattern: '^[^\\s"<>(),:;\\\\]+@[^\\s"<>(),:;\\\\]+$',
  maxLength: 254,
  ...mustBe('an e-mail address'),
  description: 'Where the key is sent.',
})

export const Signup = Type.Object(
  {
    project_name: ProjectName,
    email: Email,
    tier: Type.Union(Tier.anyOf, {
      default: 'free',
      description: 'free comes at once; the others after a checkout.',
    }),
    turnstile_token: Type.Optional(
      Type.String({
        maxLength: 2048,
        description: 'Of the challenge against bots; needed where the installation asks for it.',
      }),
    ),
  },
  { $id: 'Signup' },
)
export type Signup = Static<typeof Signup>

const onlyFree = 'Of a free project only.'

export const SignedUp = Type.Object(
  {
    status: Type.Union([Type.Literal('created'), Type.Literal('checkout_required')], {
      description:
        'created: the project is there, with its key. checkout_required: it will be, once that is paid.',
    }),
    project_id: Type.Optional(Type.Integer({ description: onlyFree })),
    project_name: Type.String({ description: 'As it was asked for.' }),
    tier: Type.Union(Tier.anyOf, { description: 'As it was asked for.' }),
    api_key: Type.Union([Type.String(), Type.Null()], {
      description: 'The key itself. It is shown here once and never again; null until the checkout is paid.',
    }),
    prefix: Type.Optional(Type.String({ description: 'The first 12 characters of the key.' })),
    label: Type.Optional(Type.String({ description: 'What the key is called.' })),
    email: Type.Optional(Type.String({ description: onlyFree })),
    email_sent: Type.Optional(
      Type.Boolean({
        description: 'The key is also on its way by mail; false where this installation has no mail server.',
      }),
    ),
    intent_id: Type.Union([Id, Type.Null()], {
      description: 'For `GET /v1/billing/checkout`; null of a free project.',
    }),
    checkout_url: Type.Union([Type.String(), Type.Null()], {
      description: 'A page for a browser, where the tier is paid; null of a free project.',
    }),
    mock: Type.Optional(
      Type.Boolean({ description: 'No money moves: this installation has no payment provider.' }),
    ),
    warnings,
  },
  { $id: 'SignedUp' },
)
export type SignedUp = Static<typeof SignedUp>
