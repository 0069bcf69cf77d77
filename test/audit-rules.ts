/**
 * `docs/audit-rules.md`, made from the rules of the audit. Run as a program it writes the file; `documents.test.ts` fails
 * when the file is not what this makes.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Rule } from '../services/extractor/domain/actors/audit/rule.ts'
import { areas } from '../services/extractor/domain/actors/audit/rules.ts'

export const auditRulesFile = join(import.meta.dirname, '../docs/audit-rules.md')

const count = areas.reduce((sum, [, rules]) => sum + rules.length, 0)

const head = `# What an audit looks for

The ${count} rules of \`POST /v1/actors/audit-onpage\`. An id never changes. This page is made from the rules by \`npm run docs\`; each is
tested by a page that it finds something on and one that it does not.

- \`error\`: broken, or kept from people or from search. \`warning\`: something is likely lost. \`info\`: worth knowing, nothing more.
- A rule is asked of *every answer*; of *pages*, which are HTML with a status of success; or of *indexed pages*, which do not say noindex.
- The page is read as it is served. What scripts and style sheets would change is not known; rules for which that
  matters say so. Of very large pages the beginning is read, and then nothing is said to be missing that could come later.
`

const asked: Readonly<Record<Rule['on'], string>> = {
  answers: 'every answer',
  pages: 'pages',
  indexed: 'indexed pages',
}

/** The page, from the rules as they are now. */
export const auditRules = (): string => [head, ...areas.map(tableOf)].join('\n')

function tableOf([name, rules]: (typeof areas)[number]): string {
  const columns = [
    '| rule | severity | asked of | finds | why it matters | source |',
    '|---|---|---|---|---|---|',
  ]
  return [`## ${name}`, '', ...columns, ...rules.map(row), ''].join('\n')
}

const row = ({ id, severity, on, finds, reason, source }: Rule): string => {
  const cells = [`\`${id}\``, severity, asked[on], finds, reason, `[${source.name}](${source.url})`]
  return `| ${cells.map(cell => cell.replaceAll('|', '\\|')).join(' | ')} |`
}

if (import.meta.main) writeFileSync(auditRulesFile, auditRules())
