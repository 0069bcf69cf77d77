/** Accessibility of forms and controls: whether each has a name. */
import { attribute } from '@tidemark/html/tree/attribute'
import type { AuditedPage } from './audited-page.ts'
import { tagOf } from './headings.ts'
import { type Entry, isSaid } from './page-index.ts'
import { among, counted, type Rule } from './rule.ts'
import { html, wcag } from './sources.ts'

const name = wcag('4.1.2 Name, Role, Value', 'name-role-value')
const unlabelled = new Set(['hidden', 'submit', 'reset', 'button', 'image'])

export const formRules: readonly Rule[] = [
  {
    id: 'a11y/label-missing',
    on: 'pages',
    severity: 'error',
    finds: 'A field (input, select, textarea) without label, aria-label, title or placeholder',
    reason: 'Who hears the page is not told what to enter.',
    source: wcag('1.3.1 Info and Relationships (failure F68)', 'info-and-relationships'),
    find: page => {
      const labelled = new Set(page.index.of('label').map(({ element }) => attribute(element, 'for') ?? ''))
      return among(
        fieldsOf(page).filter(entry => !isLabelled(entry, labelled)),
        n =>
          `${counted(n, 'field')} ${n === 1 ? 'has' : 'have'} no label. Add a label element, or aria-label.`,
        shown,
      )
    },
  },
  {
    id: 'a11y/button-name',
    on: 'pages',
    severity: 'error',
    finds: 'A button without text, image with alternative text, label or title',
    reason: 'Who hears the page is told of a button, and not what it does.',
    source: name,
    find: page =>
      among(
        buttonsOf(page).filter(({ isNamed, isHidden }) => !isNamed && !isHidden),
        n =>
          `${counted(n, 'button')} ${n === 1 ? 'has' : 'have'} no name. Say by text or aria-label what ${n === 1 ? 'it does' : 'they do'}.`,
        shown,
      ),
  },
  {
    id: 'a11y/image-button-alt',
    on: 'pages',
    severity: 'error',
    finds: 'An `<input type=image>` without alternative text or label',
    reason: 'Who does not see the image is not told what it does.',
    source: wcag('1.1.1 Non-text Content (technique H36)', 'non-text-content'),
    find: page =>
      among(
        page.index.of('input').filter(({ element, isHidden }) => {
          const says = ['alt', 'aria-label', 'aria-labelledby', 'title'].some(name => isSaid(element, name))
          return typeOf(element) === 'image' && !says && !isHidden
        }),
        n =>
          `${counted(n, 'image button')} ${n === 1 ? 'has' : 'have'} no alt. Say what ${n === 1 ? 'it does' : 'they do'}.`,
        shown,
      ),
  },
  {
    id: 'a11y/label-for-missing',
    on: 'pages',
    severity: 'warning',
    finds: 'A `<label for>` that names an id which the HTML as served does not have',
    reason: 'The label belongs to nothing.',
    source: html('the label element', 'forms.html#attr-label-for'),
    find: ({ index, isCut }) =>
      among(
        isCut
          ? []
          : index
              .of('label')
              .filter(
                ({ element }) => isSaid(element, 'for') && !index.places.has(attribute(element, 'for') ?? ''),
              ),
        n => `${counted(n, 'label')} ${n === 1 ? 'is' : 'are'} for a field that is not there. Mend the id.`,
        ({ element }) => `for="${attribute(element, 'for')}"`,
      ),
  },
  {
    id: 'a11y/nested-control',
    on: 'pages',
    severity: 'warning',
    finds: 'A button, field or link within a link or a button',
    reason: 'Which of the two is meant differs between browsers, and assistive technology tells but one.',
    source: html('the a element, content model', 'text-level-semantics.html#the-a-element'),
    find: ({ index }) =>
      among(
        index
          .of('a', 'button', 'input', 'select', 'textarea')
          .filter(({ element, control }) => control !== null && isControl(element) && isControl(control)),
        n =>
          `${counted(n, 'control')} ${n === 1 ? 'stands' : 'stand'} within another. Put them side by side.`,
        ({ element, control }) => `${control === null ? '' : tagOf(control)} ${tagOf(element)}`,
      ),
  },
]

const typeOf = (element: Entry['element']): string =>
  attribute(element, 'type')?.trim().toLowerCase() ?? 'text'

const fieldsOf = ({ index }: AuditedPage): Entry[] =>
  index
    .of('input', 'select', 'textarea')
    .filter(
      ({ name, element, isHidden }) => !isHidden && (name !== 'input' || !unlabelled.has(typeOf(element))),
    )

function isLabelled({ element, isInLabel }: Entry, labelled: ReadonlySet<string>): boolean {
  if (isInLabel || labelled.has(attribute(element, 'id') ?? '\0')) return true
  return ['aria-label', 'aria-labelledby', 'title', 'placeholder'].some(name => isSaid(element, name))
}

const buttonsOf = ({ index }: AuditedPage): Entry[] => [
  ...index.of('button'),
  ...index.of('input').filter(({ element }) => typeOf(element) === 'button'),
]

const isControl = (element: Entry['element']): boolean =>
  (element.name !== 'a' || attribute(element, 'href') !== null) &&
  !(element.name === 'input' && typeOf(element) === 'hidden')

const shown = ({ element }: Entry): string => tagOf(element)
