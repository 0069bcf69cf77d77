/** The pure part of the actor `audit-onpage`: applies every rule to a response and counts the elements of the page. */
import type { AuditFinding, AuditFound } from '@tidemark/contracts/http/actors/audit-onpage'
import type { SeenPage } from '../seen-page.ts'
import { type AuditedPage, type AuditedResponse, auditedPage, auditedResponse } from './audited-page.ts'
import type { AuditContext } from './context.ts'
import { isSuccess } from './response.ts'
import { type Found, maxSamples, type Rule, type Severity } from './rule.ts'
import { rules } from './rules.ts'

const ranks: Readonly<Record<Severity, number>> = { error: 0, warning: 1, info: 2 }
const maxSampleLength = 160
const maxMessageLength = 400

/**
 * Returns the findings and counts. For error pages only the rules of responses apply. For content other than HTML all
 * counts are 0.
 */
export function auditOf(seen: SeenPage, context: AuditContext): AuditFound {
  const response = auditedResponse(seen, context)
  const page = auditedPage(response, seen)
  const findings = findingsOf(response, page)
  const count = (severity: Severity): number =>
    findings.filter(finding => finding.severity === severity).length
  return {
    summary: { errors: count('error'), warnings: count('warning'), info: count('info') },
    findings,
    stats: statsOf(page),
  }
}

/** Returns the findings of all rules, errors first. @param page null for content other than HTML */
export const findingsOf = (response: AuditedResponse, page: AuditedPage | null): AuditFinding[] =>
  rules
    .flatMap(rule => {
      const found = foundBy(rule, response, page)
      return found === null ? [] : [findingOf(rule, found)]
    })
    .sort((one, other) => ranks[one.severity] - ranks[other.severity])

function foundBy(rule: Rule, response: AuditedResponse, page: AuditedPage | null): Found | null {
  if (rule.on === 'responses') return rule.find(response)
  if (page === null || !isSuccess(response.page.status) || response.bytes === 0) return null
  return rule.on === 'indexed' && !page.isIndexed ? null : rule.find(page)
}

function findingOf({ id, severity }: Rule, { message, count, samples = [] }: Found): AuditFinding {
  return {
    rule: id,
    severity,
    message: cut(message, maxMessageLength),
    ...(count !== undefined && { count }),
    samples: samples
      .slice(0, maxSamples)
      .map(sample => cut(sample.replace(/\s+/g, ' ').trim(), maxSampleLength)),
  }
}

const cut = (text: string, maxLength: number): string => {
  const whole = text.toWellFormed()
  return whole.length > maxLength ? `${whole.slice(0, maxLength - 1).toWellFormed()}…` : whole
}

function statsOf(page: AuditedPage | null): AuditFound['stats'] {
  if (page === null) return nothing
  const { facts, index, bytes } = page
  const text = Buffer.byteLength(index.visibleText.replace(/\s+/g, ' ').trim())
  return {
    word_count: facts.text.words,
    link_count: facts.links.length,
    image_count: index.of('img').length,
    heading_count: index.of('h1', 'h2', 'h3', 'h4', 'h5', 'h6').length,
    html_bytes: bytes,
    text_bytes: text,
    content_ratio: bytes === 0 ? 0 : Math.round((text / bytes) * 10_000) / 10_000,
    has_json_ld: facts.metadata.json_ld.length > 0,
  }
}

const nothing: AuditFound['stats'] = {
  word_count: 0,
  link_count: 0,
  image_count: 0,
  heading_count: 0,
  html_bytes: 0,
  text_bytes: 0,
  content_ratio: 0,
  has_json_ld: false,
}
