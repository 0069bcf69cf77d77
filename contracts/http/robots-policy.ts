/** `GET /v1/robots-policy`: the rules of a site for AI bots, and its verdict for one crawler and one URL. */
import { type Static, Type } from 'typebox'
import { described, oneOf, orNull, Timestamp } from '../primitives.ts'
import { warnings } from './lists.ts'

export const RobotsPolicyQuery = Type.Object({
  url: Type.String({
    minLength: 1,
    maxLength: 8192,
    description: 'Any URL of the site; http:// or https://. The files at its origin are read.',
    examples: ['https://example.com/'],
  }),
  user_agent: Type.Optional(
    Type.String({
      maxLength: 1024,
      description:
        'The crawler that the verdict is for: a product token or a whole User-Agent. It is not sent to the site. Default: the crawler of this service.',
      examples: ['GPTBot'],
    }),
  ),
})

const PolicyWord = oneOf(['allowed', 'disallowed', 'partial', 'unspecified'])

const Verdict = Type.Object(
  {
    user_agent: Type.String({ description: 'The crawler that the verdict is for.' }),
    allowed: Type.Boolean({ description: 'Whether it may fetch the URL.' }),
    rule: orNull(Type.String({ description: 'The pattern that decided, as written in robots.txt.' })),
    agent: orNull(
      Type.String({ description: 'The group that decided: a product token, or * for all crawlers.' }),
    ),
  },
  { description: 'The verdict of robots.txt for this URL.' },
)

export const RobotsPolicy = Type.Object(
  {
    url: Type.String({ description: 'The requested URL, without its fragment.' }),
    robots_txt: orNull(Type.String({ description: 'Up to 500 KiB; null: the site has none.' })),
    llms_txt: orNull(
      Type.String({ description: 'Up to 256 KiB; null: the site has none, or it could not be read.' }),
    ),
    ai_bot_policy: Type.Record(Type.String(), PolicyWord, {
      description:
        'Rules by bot. unspecified: no rule names the bot, so everything is allowed. disallowed also means that robots.txt returned a server error.',
    }),
    robots_status: Type.Integer({ description: 'HTTP status of robots.txt.' }),
    content_signals: Type.Record(Type.String(), Type.Record(Type.String(), oneOf(['yes', 'no'])), {
      description: 'Content-Signal lines of robots.txt, by user agent.',
    }),
    fetched_at: described(Timestamp, 'Time at which robots.txt was fetched.'),
    verdict: Verdict,
    warnings,
  },
  { $id: 'RobotsPolicy' },
)
export type RobotsPolicy = Static<typeof RobotsPolicy>
