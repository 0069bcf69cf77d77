/** Accessibility of forms and controls: their names. */
import { attribute } from '@tidemark/html/tree/attribute'
import type { AuditedPage } from './audited-page.ts'
import { type Entry, hasAnyAttribute, tagOf } from './page-index.ts'
import { among, type Rule } from './rule.ts'
import { html, wcag } from './sources.ts'

const name = wcag('4.1.2 Name, Role, Value', 'name-role-value')
/** Types of input elements that need no label. */
const unlabelled = new Set(['hidden', 'submit', 'reset', 'button', 'image'])

export const formRules: readonly Rule[] = [
  {
    id: 'a11y/label-missing',
    severity: 'error',
    finds: 'A field (input, select, textarea) without label, aria-label, title or placeholder',
    reason: 'Screen reader users do not learn what to enter.',
    source: wcag('1.3.1 Info and Relationships (failure F68)', 'info-and-relationships'),
    find: page => {
      const labelled = new Set(page.index.of('label').map(({ element }) => attribute(element, 'for') ?? ''))
      return among(
        fieldsOf(page).filter(entry => !isLabelled(entry, labelled)),
        {
          one: '1 field has no label.',
          many: '{n} fields have no label.',
          remedy: 'Add a label element or aria-label.',
        },
        tagOf,
      )
    },
  },
  {
    id: 'a11y/button-name',
    severity: 'error',
    finds: 'A button without text, image with alternative text, label or title',
    reason: 'Screen readers announce a button without its purpose.',
    source: name,
    find: page =>
      among(
        buttonsOf(page).filter(({ isNamed, isHidden }) => !isNamed && !isHidden),
        {
          one: '1 button has no name.',
          many: '{n} buttons have no name.',
          remedy: {
            one: 'Describe its action by text or aria-label.',
            many: 'Describe their actions by text or aria-label.',
          },
        },
        tagOf,
      ),
  },
  {
    id: 'a11y/image-button-alt',
    severity: 'error',
    finds: 'An `<input type=image>` without alternative text or label',
    reason: 'Screen reader users do not learn what the button does.',
    source: wcag('1.1.1 Non-text Content (technique H36)', 'non-text-content'),
    find: page =>
      among(
        page.index
          .of('input')
          .filter(
            ({ element, isHidden }) =>
              typeOf(element) === 'image' &&
              !hasAnyAttribute(element, 'alt', 'aria-label', 'aria-labelledby', 'title') &&
              !isHidden,
          ),
        {
          one: '1 image button has no alt text.',
          many: '{n} image buttons have no alt text.',
          remedy: { one: 'Describe its action.', many: 'Describe their actions.' },
        },
        tagOf,
      ),
  },
  {
    id: 'a11y/label-for-missing',
    severity: 'warning',
    finds: 'A `<label for>` with an id that the served HTML does not contain',
    reason: 'The label has no field.',
    source: html('the label element', 'forms.html#attr-label-for'),
    find: ({ index, isCut }) =>
      among(
        isCut
          ? []
          : index
              .of('label')
              .filter(
                ({ element }) =>
                  hasAnyAttribute(element, 'for') && !index.anchors.has(attribute(element, 'for') ?? ''),
              ),
        {
          one: '1 label refers to a missing field.',
          many: '{n} labels refer to missing fields.',
          remedy: 'Correct the id.',
        },
        ({ element }) => `for="${attribute(element, 'for')}"`,
      ),
  },
  {
    id: 'a11y/nested-control',
    severity: 'warning',
    finds: 'A button, field or link inside a link or button',
    reason: 'Browsers differ in which control they activate, and assistive technology announces only one.',
    source: html('the a element, content model', 'text-level-semantics.html#the-a-element'),
    find: ({ index }) =>
      among(
        index
          .of('a', 'button', 'input', 'select', 'textarea')
          .filter(({ element, control }) => control !== null && isControl(element) && isControl(control)),
        {
          one: '1 control is nested in another.',
          many: '{n} controls are nested in others.',
          remedy: 'Place them side by side.',
        },
        ({ element, control }) =>
          `${control === null ? '' : tagOf({ element: control })} ${tagOf({ element })}`,
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
  return hasAnyAttribute(element, 'aria-label', 'aria-labelledby', 'title', 'placeholder')
}

const buttonsOf = ({ index }: AuditedPage): Entry[] => [
  ...index.of('button'),
  ...index.of('input').filter(({ element }) => typeOf(element) === 'button'),
]

const isControl = (element: Entry['element']): boolean =>
  (element.name !== 'a' || attribute(element, 'href') !== null) &&
  !(element.name === 'input' && typeOf(element) === 'hidden')
