/** `GET /v1/crawls`: all crawls of a project (an addition to the specification). */
import { Type } from 'typebox'
import { mustBe } from '../primitives.ts'
import { RunStatus, RunView } from './crawls.ts'
import { beforeField, nextOffset, warnings, windowOf } from './lists.ts'

export const RunList = Type.Object(
  {
    items: Type.Array(RunView, { description: 'Newest first.' }),
    next_offset: nextOffset,
    warnings,
  },
  { $id: 'RunList' },
)
export const RunListQuery = Type.Object({
  ...windowOf(1000),
  before: beforeField,
  status: Type.Optional(
    Type.Union(RunStatus.anyOf, { description: 'Only crawls with this status.', examples: ['done'] }),
  ),
  fields: Type.Optional(
    Type.String({
      pattern: '^ai_bot_policy(?:,ai_bot_policy)*$',
      ...mustBe('a comma-separated list of ai_bot_policy'),
      description:
        'Further fields of each crawl, as a comma-separated list: ai_bot_policy. Without it they are null in lists, because each has dozens of bots.',
      examples: ['ai_bot_policy'],
    }),
  ),
})
