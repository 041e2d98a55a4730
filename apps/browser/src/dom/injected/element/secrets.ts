// Fields whose content no viewer may read: passwords and payment cards.

import type { Names } from './names.ts';
import type { Dom } from './safe-dom.ts';

export type Secrets = ReturnType<typeof createSecrets>;

export function createSecrets(dom: Dom, names: Names) {
  const mask = '••••';
  const cardHints = /(^|\s)cc-\S+(\s|$)/i;
  const passwordHints = /(^|\s)(current-password|new-password)(\s|$)/i;
  const cardWords = new RegExp(
    [
      'card[\\s_-]*(number|num|no|nr)\\b',
      'cardnumber',
      'cc[\\s_-]?(num|number|no|exp|csc|cvc|cvv)',
      '\\b(cvc|cvv|csc|cvn|cid)\\d?\\b',
      'cvc|cvv',
      '(card|sicherheits|security)[\\s_-]*(verification|security)?[\\s_-]*code',
      'card[\\s_-]*exp',
      'exp(iry|iration|ires)?[\\s_-]*(date|month|year|mm|yy)\\b',
      '\\bmm\\s*/\\s*(yy|jj|aa)',
      '(credit|debit)[\\s_-]*card\\b(?!.*name)',
      'kartennummer|kreditkarte|num[ée]ro de (la )?carte|n[úu]mero de (la )?tarjeta',
    ].join('|'),
    'i',
  );
  const textTypes = new Set(['text', 'tel', 'number', 'password', 'search', 'url', 'email', 'month', '']);

  /** By the check digit that every number of a payment card has. */
  function isCardNumber(text: string): boolean {
    const digits = text.replace(/[\s-]/g, '');
    if (!/^\d{13,19}$/.test(digits) || /^0+$/.test(digits)) return false;
    let sum = 0;
    for (let index = 0; index < digits.length; index += 1) {
      const digit = Number(digits[digits.length - 1 - index]);
      const counted = index % 2 === 1 ? digit * 2 : digit;
      sum += counted > 9 ? counted - 9 : counted;
    }
    return sum % 10 === 0;
  }

  const isField = (element: Element): element is HTMLInputElement | HTMLTextAreaElement =>
    element instanceof HTMLTextAreaElement || (element instanceof HTMLInputElement && textTypes.has(element.type));

  const isOfKind = (element: Element) => isField(element) || element instanceof HTMLSelectElement;

  /** Without looking at its content. */
  function isSecretField(element: Element): boolean {
    if (!isOfKind(element)) return false;
    if (element instanceof HTMLInputElement && element.type === 'password') return true;
    return passwordHints.test(dom.attribute(element, 'autocomplete') ?? '') || isCardField(element);
  }

  function isCardField(element: Element): boolean {
    if (!isOfKind(element)) return false;
    if (cardHints.test(dom.attribute(element, 'autocomplete') ?? '')) return true;
    const said = ['name', 'id', 'placeholder', 'aria-label', 'data-testid'].map(
      (one) => dom.attribute(element, one) ?? '',
    );
    return [...said, names.label(element)].some((text) => cardWords.test(text));
  }

  function isSecret(element: Element): boolean {
    if (isSecretField(element)) return true;
    if (!isField(element)) return false;
    // Hidden by the page itself, or by us.
    return (
      isCardNumber(element.value) || getComputedStyle(element).getPropertyValue('-webkit-text-security') !== 'none'
    );
  }

  const masked = (element: Element, value: string): string => (value !== '' && isSecret(element) ? mask : value);

  return { mask, isField, isSecretField, isCardField, isCardNumber, isSecret, masked };
}
