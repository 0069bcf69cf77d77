/** Texts of links that say nothing of their target, in some languages. */
const texts = new Set([
  ...'click here|click this|go|here|this|start|right here|more|more…|more...|learn more|read more|link|this link'.split(
    '|',
  ),
  ...'this page|see more|details|continue|continue reading|find out more|go here|info|more info'.split('|'),
  ...'hier|hier klicken|klicken sie hier|mehr|mehr erfahren|weiterlesen|weiter|mehr lesen|link'.split('|'),
  ...'ici|cliquez ici|en savoir plus|lire la suite|plus|aquí|haga clic aquí|leer más|más|más información'.split(
    '|',
  ),
  ...'clicca qui|qui|leggi tutto|scopri di più|clique aqui|aqui|saiba mais|leia mais|klik hier|lees meer|meer'.split(
    '|',
  ),
])

/** @param text white space collapsed */
export const isGeneric = (text: string): boolean =>
  texts.has(text.toLowerCase().replace(/(?<![\s»›>→.!:])[\s»›>→.!:]+$/u, '')) || /^(?:>>|»|›|→)$/.test(text)
