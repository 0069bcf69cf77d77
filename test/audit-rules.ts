/**
 * Generates `docs/audit-rules.md` from the rules of pages and of sites. As a program this file writes the document;
 * `documents.test.ts` fails when the stored document differs.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Rule } from '../services/extractor/domain/actors/audit/rule.ts'
import { areas } from '../services/extractor/domain/actors/audit/rules.ts'
import type { SiteRule } from '../services/gateway/actors/site-audit/domain/rules/rule.ts'
import { siteAreas, siteRules } from '../services/gateway/actors/site-audit/domain/rules/table.ts'

export const auditRulesFile = join(import.meta.dirname, '../docs/audit-rules.md')

const count = areas.reduce((sum, [, rules]) => sum + rules.length, 0)

const head = `# Audit rules

The ${count} rules of \`POST /v1/actors/audit-onpage\`. An id never changes. \`npm run docs\` generates this page from the rules
([how to add one](recipes.md#add-an-audit-rule)). Each rule is tested with a page that it matches and one that it does not.

- \`error\`: broken, or hidden from people or search engines. \`warning\`: probably a loss. \`info\`: worth knowing.
- A rule applies to *every response*, to *pages* (HTML with a 2xx status), or to *indexed pages* (without noindex).
- \`POST /v1/actors/audit-site\` applies the rules without the mark † to stored pages. The audit of a crawl does not have the data of the others. Rules with the
  mark ‡ apply to the pages whose response time is stored: those that are not rendered.
- The page is audited as served. Effects of scripts and style sheets are unknown, and the rules that depend on them say so. Very large pages are
  read up to a limit, and nothing beyond it is reported as missing.
`

const requested: Readonly<Record<NonNullable<Rule['on']>, string>> = {
  responses: 'every response',
  indexed: 'indexed pages',
}

/** Returns the text of the document, generated from the current rules. */
export const auditRules = (): string =>
  [head, ...areas.map(tableOf), siteHead, ...siteAreas.map(siteTableOf)].join('\n')

const siteHead = `## Rules of a whole site

The ${siteRules.length} rules that \`POST /v1/actors/audit-site\` adds: they compare the pages of a crawl.
Pages that list each other as versions (hreflang) are not duplicates of each other, even if both have the same language.
`

function siteTableOf([name, rules]: (typeof siteAreas)[number]): string {
  const columns = [
    '| rule | severity | finds | why it matters | remedy | source |',
    '|---|---|---|---|---|---|',
  ]
  return [`### ${name}`, '', ...columns, ...rules.map(siteRow), ''].join('\n')
}

const siteRow = ({ id, severity, finds, reason, remedy, source }: SiteRule): string =>
  lineOf([`\`${id}\``, severity, finds, reason, remedy, `[${source.name}](${source.url})`])

function tableOf([name, rules]: (typeof areas)[number]): string {
  const columns = [
    '| rule | severity | applies to | finds | why it matters | source |',
    '|---|---|---|---|---|---|',
  ]
  return [`## ${name}`, '', ...columns, ...rules.map(row), ''].join('\n')
}

const row = ({ id, severity, on, finds, reason, source, needs }: Rule): string => {
  const name = `\`${id}\`${needs === undefined ? '' : needs === 'time' ? ' ‡' : ' †'}`
  return lineOf([
    name,
    severity,
    on === undefined ? 'pages' : requested[on],
    finds,
    reason,
    `[${source.name}](${source.url})`,
  ])
}

const lineOf = (cells: string[]): string =>
  `| ${cells.map(cell => cell.replaceAll('|', '\\|')).join(' | ')} |`

if (import.meta.main) writeFileSync(auditRulesFile, auditRules())
