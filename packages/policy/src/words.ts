// Words on controls that commit a person to something: they pay, order, send, publish, delete, transfer, sign. In 12 languages.
// A word that is missing here lets an act pass without a yes: add it together with a labelled act.

import { patternOf } from './phrase-pattern.ts';

type Language = {
  /** Whole words or phrases, in any place of the name. `*` stands for further letters. */
  commits: string[];
  /** Where one of these is in the name, it only looks like one of the above. */
  harmless: string[];
  /** The whole name of a control that says yes to what its dialog asks. */
  yes: string[];
};

const languages: Record<string, Language> = {
  en: {
    commits: [
      ...['pay', 'buy', 'purchase', 'place order', 'place my order', 'place your order', 'order now', 'order and pay'],
      ...[
        'submit order',
        'complete order',
        'confirm',
        'send',
        'publish',
        'delete',
        'erase',
        'wipe',
        'transfer',
        'wire',
      ],
      ...['sign', 'sign and send', 'book', 'book now', 'reserve', 'subscribe', 'unsubscribe', 'donate', 'place bid'],
      ...['withdraw', 'deactivate', 'close account', 'cancel order', 'cancel subscription', 'cancel booking'],
      ...['cancel membership', 'cancel account', 'approve', 'authorize', 'authorise', 'accept offer', 'post', 'tweet'],
      ...['remove account', 'remove user', 'remove member', 'remove access', 'revoke', 'refund', 'redeem', 'merge'],
      ...['deploy', 'terminate', 'apply now', 'submit application', 'start trial', 'upgrade now', 'renew', 'invite'],
    ],
    harmless: [
      ...['sign in', 'sign up', 'sign out', 'signs', 'post code', 'blog post', 'next post', 'previous post'],
      ...[
        'read post',
        'delete filter*',
        'delete search',
        'book review*',
        'guest book',
        'transfer times',
        'payment methods',
      ],
      ...['how to pay', 'ways to pay', 'about', 'sent', 'confirm password', 'pay later info'],
    ],
    yes: ['yes', 'ok', 'okay', 'continue', 'confirm', 'proceed', 'i agree', 'agree', 'accept', 'do it', 'go ahead'],
  },
  de: {
    commits: [
      ...['kaufen', 'bestellen', 'bezahlen', 'zahlen', 'zahlungspflichtig*', 'kostenpflichtig*', 'absenden', 'senden'],
      ...['abschicken', 'verschicken', 'schicken', 'veröffentlichen', 'löschen', 'überweisen', 'unterschreiben'],
      ...['unterzeichnen', 'buchen', 'reservieren', 'kündigen', 'spenden', 'stornieren', 'abonnieren', 'freigeben'],
      ...['posten', 'bestätigen', 'beauftragen', 'auszahlen', 'widerrufen', 'bewerben', 'einladen', 'bieten'],
    ],
    harmless: [
      'filter löschen',
      'suche löschen',
      'eingabe löschen',
      'so bestellen sie',
      'passwort bestätigen',
      'kontakte einladen info',
    ],
    yes: ['ja', 'ok', 'weiter', 'fortfahren', 'bestätigen', 'einverstanden', 'zustimmen', 'akzeptieren'],
  },
  fr: {
    commits: [
      ...[
        'acheter',
        'payer',
        'commander',
        'passer la commande',
        'valider la commande',
        'confirmer',
        'envoyer',
        'publier',
      ],
      ...[
        'supprimer',
        'effacer',
        'virer',
        'transférer',
        'signer',
        'réserver',
        "s'abonner",
        's’abonner',
        'se désabonner',
      ],
      ...['résilier', 'donner', 'faire un don', 'annuler la commande', "annuler l'abonnement", 'annuler l’abonnement'],
      ...['approuver', 'autoriser', 'retirer', 'rembourser', 'poster', 'postuler', 'inviter'],
    ],
    harmless: [
      'effacer les filtres',
      'supprimer les filtres',
      'supprimer le filtre',
      'confirmer le mot de passe',
      'comment payer',
    ],
    yes: ['oui', 'ok', 'continuer', 'confirmer', 'valider', "d'accord", 'd’accord', 'accepter'],
  },
  es: {
    commits: [
      ...['comprar', 'pagar', 'realizar pedido', 'hacer pedido', 'pedir ahora', 'confirmar', 'enviar', 'publicar'],
      ...[
        'eliminar',
        'borrar',
        'transferir',
        'firmar',
        'reservar',
        'suscribirse',
        'suscribirme',
        'darse de baja',
        'donar',
      ],
      ...[
        'cancelar pedido',
        'cancelar suscripción',
        'cancelar reserva',
        'aprobar',
        'autorizar',
        'retirar',
        'reembolsar',
      ],
      ...['contratar', 'postular', 'pujar', 'invitar'],
    ],
    harmless: [
      'borrar filtros',
      'eliminar filtros',
      'borrar búsqueda',
      'confirmar contraseña',
      'cómo pagar',
      'cómo comprar',
    ],
    yes: ['sí', 'si', 'aceptar', 'continuar', 'confirmar', 'de acuerdo', 'ok'],
  },
  it: {
    commits: [
      ...[
        'acquista',
        'acquistare',
        'compra',
        'paga',
        'pagare',
        'ordina',
        'effettua ordine',
        "invia l'ordine",
        'conferma',
      ],
      ...['invia', 'inviare', 'pubblica', 'elimina', 'cancella account', 'cancella ordine', 'cancella abbonamento'],
      ...['trasferisci', 'firma', 'prenota', 'abbonati', 'iscriviti', 'disdici', 'dona', 'annulla ordine'],
      ...['annulla abbonamento', 'approva', 'autorizza', 'preleva', 'rimborsa', 'candidati', 'bonifico', 'invita'],
    ],
    harmless: ['elimina filtri', 'cancella filtri', 'conferma password', 'come si paga', 'ordina per'],
    yes: ['sì', 'si', 'ok', 'continua', 'conferma', 'accetta', 'procedi'],
  },
  pt: {
    commits: [
      ...[
        'comprar',
        'pagar',
        'finalizar compra',
        'finalizar pedido',
        'fazer pedido',
        'encomendar',
        'confirmar',
        'enviar',
      ],
      ...['publicar', 'excluir', 'apagar', 'eliminar', 'transferir', 'assinar', 'reservar', 'subscrever', 'doar'],
      ...['cancelar pedido', 'cancelar assinatura', 'cancelar reserva', 'aprovar', 'autorizar', 'sacar', 'reembolsar'],
      ...['candidatar*', 'convidar'],
    ],
    harmless: ['apagar filtros', 'limpar filtros', 'confirmar senha', 'como pagar', 'como comprar'],
    yes: ['sim', 'ok', 'continuar', 'confirmar', 'aceitar', 'concordo', 'prosseguir'],
  },
  nl: {
    commits: [
      ...['kopen', 'koop nu', 'koop', 'betalen', 'betaal', 'bestellen', 'bestel', 'bestelling plaatsen', 'bevestigen'],
      ...[
        'bevestig',
        'versturen',
        'verstuur',
        'verzenden',
        'verzend',
        'publiceren',
        'publiceer',
        'plaatsen',
        'verwijderen',
      ],
      ...['verwijder', 'overmaken', 'overschrijven', 'ondertekenen', 'onderteken', 'boeken', 'boek nu', 'reserveren'],
      ...['reserveer', 'abonneren', 'abonneer', 'opzeggen', 'doneren', 'doneer', 'annuleer bestelling', 'goedkeuren'],
      ...['solliciteer', 'uitnodigen'],
    ],
    harmless: ['filters verwijderen', 'filter verwijderen', 'wachtwoord bevestigen', 'zo betaal*'],
    yes: ['ja', 'ok', 'oké', 'doorgaan', 'verder', 'bevestigen', 'akkoord', 'accepteren'],
  },
  pl: {
    commits: [
      ...[
        'kup',
        'kup teraz',
        'kupuję',
        'zapłać',
        'zapłacić',
        'płacę',
        'zamów',
        'zamawiam',
        'złóż zamówienie',
        'potwierdź',
      ],
      ...['potwierdzam', 'wyślij', 'opublikuj', 'usuń', 'skasuj', 'przelej', 'podpisz', 'zarezerwuj', 'rezerwuj'],
      ...['subskrybuj', 'wypowiedz', 'przekaż darowiznę', 'anuluj zamówienie', 'anuluj subskrypcję', 'zatwierdź'],
      ...['autoryzuj', 'wypłać', 'aplikuj', 'zaproś'],
    ],
    harmless: ['usuń filtr*', 'potwierdź hasło', 'jak zapłacić', 'jak kupić'],
    yes: ['tak', 'ok', 'kontynuuj', 'dalej', 'potwierdź', 'zgadzam się', 'akceptuję'],
  },
  sv: {
    commits: [
      ...['köp', 'köp nu', 'köpa', 'betala', 'beställ', 'lägg beställning', 'slutför köp', 'bekräfta', 'skicka'],
      ...['publicera', 'radera', 'ta bort konto*', 'ta bort användare*', 'överför', 'skriv under', 'signera', 'boka'],
      ...[
        'reservera',
        'prenumerera',
        'säg upp',
        'donera',
        'skänk',
        'avbeställ',
        'avboka',
        'godkänn',
        'ansök',
        'bjud in',
      ],
    ],
    harmless: ['radera filter', 'bekräfta lösenord', 'så betalar du', 'så beställer du'],
    yes: ['ja', 'ok', 'fortsätt', 'bekräfta', 'godkänn', 'jag godkänner'],
  },
  ru: {
    commits: [
      ...['купить', 'оплатить', 'заплатить', 'заказать', 'оформить заказ', 'подтвердить', 'подтверждаю', 'отправить'],
      ...['опубликовать', 'удалить', 'стереть', 'перевести', 'подписать', 'забронировать', 'подписаться', 'отписаться'],
      ...['пожертвовать', 'отменить заказ', 'отменить подписку', 'одобрить', 'разрешить', 'вывести', 'вернуть деньги'],
      ...['откликнуться', 'пригласить'],
    ],
    harmless: ['удалить фильтр*', 'подтвердить пароль', 'как оплатить', 'как купить', 'перевести страницу'],
    yes: ['да', 'ок', 'ok', 'продолжить', 'подтвердить', 'согласен', 'согласна', 'принять'],
  },
  zh: {
    commits: [
      ...[
        '购买',
        '購買',
        '支付',
        '付款',
        '结算付款',
        '下单',
        '下單',
        '提交订单',
        '提交訂單',
        '确认',
        '確認',
        '发送',
        '發送',
      ],
      ...[
        '发布',
        '發佈',
        '删除',
        '刪除',
        '转账',
        '轉帳',
        '签署',
        '簽署',
        '预订',
        '預訂',
        '订阅',
        '訂閱',
        '捐款',
        '捐赠',
      ],
      ...['取消订单', '取消訂單', '退订', '退訂', '批准', '授权', '授權', '提现', '退款', '注销', '投递', '邀请'],
    ],
    harmless: [
      '删除筛选',
      '刪除篩選',
      '确认密码',
      '確認密碼',
      '支付方式',
      '付款方式',
      '如何支付',
      '如何付款',
      '退款政策',
      '已发送',
    ],
    yes: ['是', '是的', '确定', '確定', '确认', '確認', '继续', '繼續', '同意', '好'],
  },
  ja: {
    commits: [
      ...[
        '購入',
        '支払う',
        '支払いをする',
        '注文する',
        '注文を確定',
        '注文確定',
        '確定する',
        '送信',
        '投稿する',
        '公開する',
      ],
      ...['削除', '振り込む', '送金', '署名', '予約する', '予約を確定', '購読する', '登録解除', '解約', '寄付する'],
      ...['注文をキャンセル', '予約をキャンセル', '承認', '許可する', '退会', '返金する', '応募する', '招待する'],
    ],
    harmless: ['絞り込みを削除', '購入履歴', '購入方法', '送信済み', '削除済み', '返金ポリシー'],
    yes: ['はい', 'ok', '続ける', '続行', '確認', '同意する', '承諾'],
  },
};

const anyOf = (kind: keyof Language): string[] => Object.values(languages).flatMap((language) => language[kind]);
const commits = new RegExp(patternOf(anyOf('commits')), 'u');
const harmless = new RegExp(patternOf(anyOf('harmless')), 'gu');
const yes = new Set(anyOf('yes'));

/** As people read it: case, width and marks that nobody sees make no difference. */
const plain = (text: string): string =>
  text
    .normalize('NFKC')
    .replace(/[\p{Cf}\p{Variation_Selector}]/gu, '')
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .trim();

/** Whether the words name an act that commits a person; what only looks like one is taken out first. */
export const commitsBy = (words: string): boolean => commits.test(plain(words).replace(harmless, ' '));

/** Whether the whole name only agrees to what is asked around it. */
export const saysYes = (name: string): boolean => yes.has(plain(name).replace(/[.!…]+$/u, ''));
