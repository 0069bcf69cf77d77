/** Rules of the language that a page says it is in. */
import { attribute } from '@tidemark/html/tree/attribute'
import type { AuditedPage } from './audited-page.ts'
import { isLanguageTag, primaryOf } from './language-codes.ts'
import { type Rule, when } from './rule.ts'
import { html, wcag } from './sources.ts'

const language = wcag('3.1.1 Language of Page', 'language-of-page')

export const languageRules: readonly Rule[] = [
  {
    id: 'lang/missing',
    on: 'pages',
    severity: 'error',
    finds: 'No lang attribute on `<html>`, or an empty one',
    reason: 'Screen readers guess how to speak the page, and browsers whether to translate it.',
    source: language,
    find: page =>
      when(langOf(page) === '', () =>
        htmlAttribute(page, 'xml:lang') === ''
          ? 'The page does not say its language. Add lang to the html element, such as lang="en".'
          : 'The page says its language by xml:lang alone, which counts for nothing in HTML. Add lang beside it.',
      ),
  },
  {
    id: 'lang/invalid',
    on: 'pages',
    severity: 'error',
    finds: 'A lang attribute of `<html>` that is no language tag (RFC 5646)',
    reason: 'It is as good as none.',
    source: language,
    find: page => {
      const lang = langOf(page)
      return lang !== '' && !isLanguageTag(lang)
        ? {
            message: `"${lang.slice(0, 40)}" is no language tag. Write for example en or en-GB.`,
            samples: [lang],
          }
        : null
    },
  },
  {
    id: 'lang/xml-mismatch',
    on: 'pages',
    severity: 'warning',
    finds: 'lang and xml:lang of `<html>` that name different languages',
    reason: 'Which of them counts depends on who reads the page.',
    source: html('the lang and xml:lang attributes', 'dom.html#the-lang-and-xml:lang-attributes'),
    find: page => {
      const [lang, xml] = [langOf(page), htmlAttribute(page, 'xml:lang')]
      return when(
        lang !== '' && xml !== '' && primaryOf(lang) !== primaryOf(xml),
        () => `lang says ${lang} and xml:lang says ${xml}. Let both say the same.`,
      )
    },
  },
]

/** The empty string where the page says none; xml:lang counts where the page is XML. */
export const langOf = (page: AuditedPage): string =>
  htmlAttribute(page, 'lang') || (isXml(page) ? htmlAttribute(page, 'xml:lang') : '')

const isXml = ({ page: { contentType } }: AuditedPage): boolean =>
  /^\s*application\/xhtml/i.test(contentType ?? '')

function htmlAttribute({ index }: AuditedPage, name: string): string {
  const [root] = index.of('html')
  return root === undefined ? '' : (attribute(root.element, name) ?? '').trim()
}
