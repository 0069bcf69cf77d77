/** Selectors of actions in a browser: those of Chromium, and those that only other engines have. */
import { test } from 'tap'
import { browserSelectorFault } from './browser-selector.ts'

test('A selector for a browser', async t => {
  for (const valid of [
    'input:not(:placeholder-shown)',
    ':invalid',
    ':user-invalid',
    'a:focus-visible',
    'dialog:modal',
    ':defined',
    ':dir(rtl)',
    'p:lang(en-GB)',
    ':in-range',
    'input:autofill',
    'details:open > summary',
    'A:HOVER',
    ':is(a, .b):where(:has(> #c + d ~ e))',
    'li:nth-child(2n + 1 of :not(.advert))',
    'li:nth-last-of-type(-n+3)',
    'a[href^="https://x.test/"][title=\'a >> b\' i]',
    '[ data-a = b ]',
    '[*|href]',
    '.md\\:flex #\\31 a',
    '--x é.🌊',
    'a'.repeat(500),
  ])
    t.equal(browserSelectorFault(valid), null, valid)

  for (const [invalid, fault] of [
    ['text=Load more', '"=Load more" is not part of CSS'],
    ['xpath=//a', '"=//a" is not part of CSS'],
    ['//button', '"//button" is not part of CSS'],
    ['a >> text=b', '"=b" is not part of CSS'],
    ['a/* >> b */', '"/* >> b */" is not part of CSS'],
    ['a >> b', 'Did not expect successive traversals'],
    ['a:parent', 'browsers have no pseudo-class :parent'],
    ['div:header', 'browsers have no pseudo-class :header'],
    ['div:not(a, :header)', 'browsers have no pseudo-class :header'],
    ['p:nth-child(1 of :header)', 'browsers have no pseudo-class :header'],
    ['a:hover(b)', 'browsers have no pseudo-class :hover()'],
    ['a:not', 'browsers have no pseudo-class :not'],
    [':near(b)', 'browsers have no pseudo-class :near()'],
    ['button:visible', 'browsers have no pseudo-class :visible'],
    ['button:contains("More")', '":contains("More")" is not part of CSS'],
    ['button:has-text("More")', '":has-text("More")" is not part of CSS'],
    ['p:nth-child(foo)', '":nth-child(foo)" is not part of CSS'],
    ['p:nth-of-type(2 of a)', '":nth-of-type(2 of a)" is not part of CSS'],
    ['a[data-id=1]', '"[data-id=1]" is not part of CSS. Write its value in quotes'],
    ['#1a', '"#1a" is not part of CSS'],
    ['a::before', '"::before" is not part of CSS'],
    ['a:before', ':before is not an element'],
    ['a < b', '"< b" is not part of CSS'],
    ['a >', 'it ends without an element'],
    ['.a*', '"*" must stand before the other conditions of its element'],
    ['(a', '"(a" is not part of CSS'],
    [')a', 'its parentheses are not balanced'],
    [':is(a', 'Missing closing parenthesis in :is (:is(a)'],
    [' ', 'it is empty'],
    ['a'.repeat(501), 'it has more than 500 characters'],
    [`${':not('.repeat(17)}a${')'.repeat(17)}`, 'its parentheses are nested more than 16 levels deep'],
  ] as const)
    t.equal(browserSelectorFault(invalid), fault, invalid)

  for (const repeated of [
    '\\aaaaaa',
    '\\aaaaa',
    '\\a',
    '\\a ',
    '\\aaaaaa ',
    '\\g',
    'a-',
    '[a',
    '"\\"',
    ':is(',
  ])
    for (const begin of ['[', ':dir(', ':nth-child(', '.', '["']) {
      const hostile = `${begin}${repeated.repeat(490 / repeated.length)}!`
      const began = performance.now()
      t.not(browserSelectorFault(hostile), null)
      const ms = performance.now() - began
      t.ok(ms < 100, `${begin}${repeated}… takes ${ms} ms`)
    }
})
