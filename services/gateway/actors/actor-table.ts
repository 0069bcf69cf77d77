/** The table of actors, one row for each. */

import { AuditOnpageAnswer, AuditOnpageRequest } from '@tidemark/contracts/http/actors/audit-onpage'
import { AuditSiteAnswer, AuditSiteRequest, SiteFinding } from '@tidemark/contracts/http/actors/audit-site'
import { CheckLinksAnswer, CheckLinksRequest } from '@tidemark/contracts/http/actors/check-links'
import { ExtractArticleAnswer, ExtractArticleRequest } from '@tidemark/contracts/http/actors/extract-article'
import { LinkGraphAnswer, LinkGraphRequest } from '@tidemark/contracts/http/actors/internal-link-graph'
import { RenderDiffAnswer, RenderDiffRequest } from '@tidemark/contracts/http/actors/render-diff'
import { SitemapAuditAnswer, SitemapAuditRequest } from '@tidemark/contracts/http/actors/sitemap-audit'
import { StructuredDataAnswer, StructuredDataRequest } from '@tidemark/contracts/http/actors/structured-data'
import { priceText } from '@tidemark/contracts/prices'
import { backendsTimeoutMs } from '../live-pages/read-one.ts'
import { type ActorRow, actor } from './actor-routes.ts'
import { checkLinks, subjectOfLinks } from './check-links/link-check.ts'
import { rankRun, subjectOfRun } from './link-graph/rank-run.ts'
import type { ActorPorts } from './ports.ts'
import { billedPage, readBilled } from './read-billed.ts'
import { auditSite, subjectOfAudit } from './site-audit/audit-site.ts'
import { sitemapAuditor } from './sitemap-audit/sitemap-audit.ts'

export const actorsOf = (ports: ActorPorts): ActorRow[] => [
  actor({
    name: 'structured-data',
    operationId: 'extractStructuredData',
    summary: 'Extract the structured data of a page',
    description: `Returns JSON-LD, microdata, RDFa, Open Graph, Dublin Core and microformats, and the errors in them. ${priceText('structured_data')}`,
    body: StructuredDataRequest,
    answer: StructuredDataAnswer,
    subjectOf: ({ url }) => url,
    work: ({ body: { url }, payer, requestId }, at) =>
      readBilled(ports, { payer, requestId, operation: 'structured_data', url }, { as: 'structured' }, at),
  }),
  actor({
    name: 'audit-onpage',
    operationId: 'auditOnpage',
    summary: 'Audit a page',
    description: `Finds problems for search engines, people and answer engines in the page, its response and its site. Each rule names its source. ${priceText('audit_onpage')}`,
    body: AuditOnpageRequest,
    answer: AuditOnpageAnswer,
    subjectOf: ({ url }) => url,
    work: ({ body: { url }, payer, requestId }, at) =>
      readBilled(ports, { payer, requestId, operation: 'audit_onpage', url }, { as: 'audit' }, at),
  }),
  actor({
    name: 'extract-article',
    operationId: 'extractArticle',
    summary: 'Extract the article of a page',
    description: `Returns the text without menus and other boilerplate, its authors, its dates and the reading time, and on request the comments of its readers. ${priceText('extract_article')}`,
    body: ExtractArticleRequest,
    answer: ExtractArticleAnswer,
    subjectOf: ({ url }) => url,
    work: ({ body, payer, requestId }, at) => {
      const { url, format, include_comments: comments, wpm = null } = body
      const order = { payer, requestId, operation: 'extract_article', url } as const
      return readBilled(ports, order, { as: 'article', format, comments, wpm }, at)
    },
  }),
  actor({
    name: 'render-diff',
    operationId: 'diffRendered',
    summary: 'Compare a page before and after rendering',
    description: `Compares the page as served with the page as rendered by a browser, and measures the share that is invisible to bots that run no scripts. That can take a minute: wait at least 90 seconds. ${priceText('render_diff')}`,
    body: RenderDiffRequest,
    answer: RenderDiffAnswer,
    subjectOf: ({ url }) => url,
    work: ({ body: { url }, payer, requestId }, at) => {
      const stage = 'reading and rendering the page'
      const order = { payer, requestId, operation: 'render_diff', url, stage } as const
      return billedPage(ports, order, at, page =>
        ports.actors.renderDiff({ ...page, timeoutMs: backendsTimeoutMs }),
      )
    },
  }),
  actor({
    name: 'check-links',
    operationId: 'checkLinks',
    summary: 'Find broken links',
    description: `Checks the links of one page, or a list of up to 200 links. Uses HEAD where it suffices, obeys robots.txt and limits the rate per host. Links that differ only in their fragment are one URL. ${priceText('check_links')}`,
    body: CheckLinksRequest,
    answer: CheckLinksAnswer,
    takesLong: true,
    subjectOf: subjectOfLinks,
    work: (order, at) => checkLinks(ports, order, at),
  }),
  actor({
    name: 'sitemap-audit',
    operationId: 'auditSitemaps',
    summary: 'Probe the pages in the sitemaps of a site',
    description: `Reads the sitemaps that robots.txt names, or \`/sitemap.xml\`, or the one at \`url\`. Sitemap indexes are followed one level. Each page is requested once, and no redirects are followed. The rate is ten pages a second, so large sites take long: follow the progress as server-sent events. ${priceText('sitemap_audit')}`,
    body: SitemapAuditRequest,
    answer: SitemapAuditAnswer,
    takesLong: true,
    subjectOf: ({ url }) => url,
    work: sitemapAuditor(ports),
  }),
  actor({
    name: 'internal-link-graph',
    operationId: 'analyseLinkGraph',
    summary: 'Rank the pages of a crawl by its links',
    description: `Returns PageRank, the pages with the most outgoing and incoming links, their link texts, and the pages that cannot be reached from the start. Reads the stored links of up to 100,000 pages. ${priceText('internal_link_graph')} A crawl with \`store_html: false\` has no links: its lists are empty, and nothing is billed.`,
    body: LinkGraphRequest,
    answer: LinkGraphAnswer,
    takesLong: true,
    subjectOf: subjectOfRun,
    work: (order, at) => rankRun(ports, order, at),
  }),
  actor({
    name: 'audit-site',
    operationId: 'auditSite',
    summary: 'Audit all pages of a crawl',
    description: `Applies the rules of audit-onpage to the stored pages of a crawl, and rules that only the whole site shows: duplicates, canonical chains, hreflang without return, broken links, redirect chains, orphans. Nothing is fetched again. Findings are grouped by rule; NDJSON and CSV list every finding with its page. With \`against\`, findings are compared with those of an earlier crawl. Audits up to 100,000 pages, for at most 11 minutes. ${priceText('audit_site')} A crawl with \`store_html: false\` has no stored pages, and nothing is billed.`,
    body: AuditSiteRequest,
    answer: AuditSiteAnswer,
    lines: SiteFinding,
    takesLong: true,
    subjectOf: subjectOfAudit,
    work: (order, at) => auditSite(ports, order, at),
  }),
]
