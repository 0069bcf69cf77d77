/** Front matter of a Markdown file: YAML 1.2 that is valid in every version, with all texts in double quotes. */
import type { ExportedPage } from '../page.ts'

/** Characters that YAML allows only escaped, beside those that JSON escapes. */
const unprintable = /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g

export function frontMatter(page: ExportedPage): string {
  const { metadata } = page
  const values: Record<string, string | number | null> = {
    id: page.id,
    url: page.url,
    requested_url: page.requestedUrl,
    title: page.title,
    description: metadata?.description ?? null,
    lang: metadata?.lang ?? null,
    canonical: metadata?.canonical ?? null,
    status: page.status,
    depth: page.depth,
    content_type: page.contentType,
    fetched_at: page.fetchedAt,
  }
  const lines = Object.entries(values).filter(([, value]) => value !== null)
  const texts = lines.map(([key, value]) => `${key}: ${scalar(value as string | number)}\n`)
  if (page.warnings.length > 0) texts.push(`warnings: [${page.warnings.map(scalar).join(', ')}]\n`)
  return `---\n${texts.join('')}---\n`
}

/** Lone surrogates become U+FFFD. */
const scalar = (value: string | number): string =>
  typeof value === 'number'
    ? String(value)
    : JSON.stringify(value.toWellFormed()).replace(
        unprintable,
        sign => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
      )
