/** `POST /v1/actors/audit-onpage`: the problems of one page, by rules that each name their source. */
import { type Static, Type } from 'typebox'
import { count, oneOf } from '../../primitives.ts'
import { Url } from '../cloud/page.ts'
import { actorAnswer } from './actor.ts'

export const AuditOnpageRequest = Type.Object({ url: Url }, { $id: 'AuditOnpageRequest' })

export const AuditFinding = Type.Object({
  rule: Type.String({
    pattern: '^[a-z0-9-]+/[a-z0-9-]+$',
    description: 'Id of the rule: `area/name`. Ids never change; docs/audit-rules.md lists all of them.',
  }),
  severity: oneOf(['error', 'warning', 'info'], {
    description:
      '`error`: broken, or hidden from people or search engines. `warning`: probably a loss. `info`: worth knowing.',
  }),
  message: Type.String({ description: 'The problem and the remedy.' }),
  count: Type.Optional(count('Number of occurrences, for rules that can match several times.')),
  samples: Type.Array(Type.String(), {
    maxItems: 5,
    description: 'The first occurrences as written in the page, each cut to 160 characters.',
  }),
})
export type AuditFinding = Static<typeof AuditFinding>

export const AuditFound = Type.Object({
  summary: Type.Object(
    {
      errors: count('Number of errors.'),
      warnings: count('Number of warnings.'),
      info: count('Number of notices.'),
    },
    { description: 'Number of findings by severity.' },
  ),
  findings: Type.Array(AuditFinding, { description: 'At most one per rule, errors first.' }),
  stats: Type.Object(
    {
      word_count: count('Number of words of the visible text.'),
      link_count: count('Number of links to other URLs.'),
      image_count: count('Number of `<img>` elements.'),
      heading_count: count('Number of elements `<h1>` to `<h6>`.'),
      html_bytes: count('Bytes of the HTML, uncompressed.'),
      text_bytes: count('Bytes of the visible text in UTF-8, white space collapsed.'),
      content_ratio: Type.Number({ minimum: 0, description: 'text_bytes of html_bytes, as a fraction.' }),
      has_json_ld: Type.Boolean({ description: 'Whether there is JSON-LD that can be parsed.' }),
    },
    { description: 'Counts of the page; all 0 if it is not HTML.' },
  ),
})
export type AuditFound = Static<typeof AuditFound>

export const AuditOnpageAnswer = actorAnswer('audit-onpage', AuditFound, 'AuditOnpageAnswer')
