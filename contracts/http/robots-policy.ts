/** `GET /v1/robots-policy`: what a site says to AI bots, and what it says to one crawler of one address. */
import { type Static, Type } from 'typebox'
import { orNull, said, Timestamp } from '../primitives.ts'
import { warnings } from './lists.ts'

export const RobotsPolicyQuery = Type.Object({
  url: Type.String({
    minLength: 1,
    maxLength: 8192,
    description: "Any address of the site; http:// or https://. Its origin's texts are read.",
    examples: ['https://example.com/'],
  }),
  user_agent: Type.Optional(
    Type.String({
      maxLength: 1024,
      description:
        'The crawler that the verdict is for: a product token or a whole User-Agent. It is not sent to the site. Left out, it is that of this service.',
      examples: ['GPTBot'],
    }),
  ),
})
export type RobotsPolicyQuery = Static<typeof RobotsPolicyQuery>

const PolicyWord = Type.Union([
  Type.Literal('allowed'),
  Type.Literal('disallowed'),
  Type.Literal('partial'),
  Type.Literal('unspecified'),
])

const Verdict = Type.Object(
  {
    user_agent: Type.String({ description: 'The crawler that it is for.' }),
    allowed: Type.Boolean({ description: 'Whether it may fetch the address.' }),
    rule: orNull(Type.String({ description: 'The pattern that decided, as robots.txt has it.' })),
    agent: orNull(
      Type.String({ description: 'Whose rules decided: the product token, or * for everybody.' }),
    ),
  },
  { description: 'What robots.txt says of this very address.' },
)

export const RobotsPolicy = Type.Object(
  {
    url: Type.String({ description: 'As it was asked for, without its fragment.' }),
    robots_txt: orNull(Type.String({ description: 'Up to 500 KiB; null where the site has none.' })),
    llms_txt: orNull(Type.String({ description: 'Up to 256 KiB; null where the site has none.' })),
    ai_bot_policy: Type.Record(Type.String(), PolicyWord, {
      description:
        'By the name of the bot. unspecified: no rule is for it, which allows it everything; disallowed too where robots.txt answers with an error of the server.',
    }),
    robots_status: Type.Integer({ description: 'HTTP status of robots.txt.' }),
    content_signals: Type.Record(
      Type.String(),
      Type.Record(Type.String(), Type.Union([Type.Literal('yes'), Type.Literal('no')])),
      { description: 'Content-Signal lines of robots.txt, by the name they are for.' },
    ),
    fetched_at: said(Timestamp, 'When robots.txt was fetched.'),
    verdict: Verdict,
    warnings,
  },
  { $id: 'RobotsPolicy' },
)
export type RobotsPolicy = Static<typeof RobotsPolicy>
