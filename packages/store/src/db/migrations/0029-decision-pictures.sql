-- The picture that a model was sent with the page that it decided on: its blob, and what it is. Null where none was sent, and in
-- decisions of the former release.
alter table decisions add column picture_key text, add column picture_type text;
