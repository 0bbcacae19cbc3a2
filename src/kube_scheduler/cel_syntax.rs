//! How the expressions of device selectors are written: from text to a tree. What goes beyond is told as not modelled.

use super::cel::Stop;

/// Longer expressions are not followed.
const MAX_TOKENS: usize = 1000;

/// Reads an expression.
pub(crate) fn parse(expression: &str) -> Result<Tree, Stop> {
    let tokens = tokens(expression).filter(|tokens| tokens.len() <= MAX_TOKENS);
    let tokens = tokens.ok_or(Stop::NotModelled)?;
    let mut parser = Parser { tokens: &tokens, at: 0, depth: 0 };
    let tree = parser.any()?;
    if parser.at == tokens.len() { Ok(tree) } else { Err(Stop::NotModelled) }
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Name(String),
    Text(String),
    Number(i64),
    Sign(&'static str),
}

const SIGNS: [&str; 18] = [
    "&&", "||", "==", "!=", "<=", ">=", "<", ">", "!", "(", ")", "[", "]", ".", ",", "-", "?", ":",
];

fn tokens(text: &str) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let (token, length) = if first == '"' || first == '\'' {
            let inner = &rest[1..];
            let end = inner.find(first)?;
            if inner[..end].contains('\\') {
                return None;
            }
            (Token::Text(inner[..end].to_owned()), end + 2)
        } else if first.is_ascii_digit() {
            let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            let follows = rest[end..].chars().next();
            if follows.is_some_and(|c| c == '.' || c.is_alphanumeric()) {
                return None;
            }
            (Token::Number(rest[..end].parse().ok()?), end)
        } else if first.is_ascii_alphabetic() || first == '_' {
            let other = |c: char| !c.is_ascii_alphanumeric() && c != '_';
            let end = rest.find(other).unwrap_or(rest.len());
            (Token::Name(rest[..end].to_owned()), end)
        } else {
            let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign))?;
            (Token::Sign(sign), sign.len())
        };
        tokens.push(token);
        rest = rest[length..].trim_start();
    }
    Some(tokens)
}

/// An expression that was read.
#[derive(Clone, Debug)]
pub(crate) enum Tree {
    Text(String),
    Number(i64),
    Bool(bool),
    Name(String),
    List(Vec<Tree>),
    Not(Box<Tree>),
    Pair(&'static str, Box<Tree>, Box<Tree>),
    Member(Box<Tree>, Box<Tree>),
    Call(Option<Box<Tree>>, String, Vec<Tree>),
}

struct Parser<'a> {
    tokens: &'a [Token],
    at: usize,
    depth: usize,
}

/// Deeper expressions are not followed.
const DEPTH: usize = 50;

impl Parser<'_> {
    fn take(&mut self, sign: &str) -> bool {
        let found = matches!(self.tokens.get(self.at), Some(Token::Sign(it)) if *it == sign);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, sign: &str) -> Result<(), Stop> {
        if self.take(sign) { Ok(()) } else { Err(Stop::NotModelled) }
    }

    fn any(&mut self) -> Result<Tree, Stop> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(Stop::NotModelled);
        }
        let mut left = self.all()?;
        while self.take("||") {
            left = Tree::Pair("||", Box::new(left), Box::new(self.all()?));
        }
        self.depth -= 1;
        Ok(left)
    }

    fn all(&mut self) -> Result<Tree, Stop> {
        let mut left = self.comparison()?;
        while self.take("&&") {
            left = Tree::Pair("&&", Box::new(left), Box::new(self.comparison()?));
        }
        Ok(left)
    }

    fn comparison(&mut self) -> Result<Tree, Stop> {
        let left = self.unary()?;
        for sign in ["==", "!=", "<=", ">=", "<", ">"] {
            if self.take(sign) {
                return Ok(Tree::Pair(sign, Box::new(left), Box::new(self.unary()?)));
            }
        }
        if matches!(self.tokens.get(self.at), Some(Token::Name(name)) if name == "in") {
            self.at += 1;
            return Ok(Tree::Pair("in", Box::new(left), Box::new(self.unary()?)));
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Tree, Stop> {
        let mut negations = 0;
        while self.take("!") {
            negations += 1;
        }
        let mut tree = self.postfix()?;
        if negations > 0 {
            tree = Tree::Not(Box::new(tree));
            if negations % 2 == 0 {
                tree = Tree::Not(Box::new(tree));
            }
        }
        Ok(tree)
    }

    fn postfix(&mut self) -> Result<Tree, Stop> {
        let mut tree = self.primary()?;
        loop {
            if self.take(".") {
                let name = self.name()?;
                if self.take("(") {
                    let arguments = self.list(")")?;
                    tree = Tree::Call(Some(Box::new(tree)), name, arguments);
                } else {
                    tree = Tree::Member(Box::new(tree), Box::new(Tree::Text(name)));
                }
            } else if self.take("[") {
                let key = self.any()?;
                self.expect("]")?;
                tree = Tree::Member(Box::new(tree), Box::new(key));
            } else {
                return Ok(tree);
            }
        }
    }

    fn name(&mut self) -> Result<String, Stop> {
        let Some(Token::Name(name)) = self.tokens.get(self.at) else {
            return Err(Stop::NotModelled);
        };
        self.at += 1;
        Ok(name.clone())
    }

    fn list(&mut self, end: &str) -> Result<Vec<Tree>, Stop> {
        let mut list = Vec::new();
        while !self.take(end) {
            if !list.is_empty() {
                self.expect(",")?;
            }
            list.push(self.any()?);
        }
        Ok(list)
    }

    fn primary(&mut self) -> Result<Tree, Stop> {
        if self.take("(") {
            let tree = self.any()?;
            self.expect(")")?;
            return Ok(tree);
        }
        if self.take("[") {
            return Ok(Tree::List(self.list("]")?));
        }
        let negative = self.take("-");
        let token = self.tokens.get(self.at).cloned().ok_or(Stop::NotModelled)?;
        self.at += 1;
        match token {
            Token::Number(number) if negative => Ok(Tree::Number(-number)),
            _ if negative => Err(Stop::NotModelled),
            Token::Number(number) => Ok(Tree::Number(number)),
            Token::Text(text) => Ok(Tree::Text(text)),
            Token::Name(name) if name == "true" || name == "false" => {
                Ok(Tree::Bool(name == "true"))
            }
            Token::Name(name) => {
                if self.take("(") {
                    Ok(Tree::Call(None, name, self.list(")")?))
                } else {
                    Ok(Tree::Name(name))
                }
            }
            Token::Sign(_) => Err(Stop::NotModelled),
        }
    }
}
